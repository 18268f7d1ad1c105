package dev.headroom.app.command;

import dev.headroom.app.catalogue.MissingOperators;
import dev.headroom.app.catalogue.OperatorTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom operators}: what is modelled, and how it was verified. */
@Command(
        name = "operators",
        description = "Lists the ATen operators that have a memory rule, and how each was verified.",
        mixinStandardHelpOptions = true)
final class OperatorsCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "One JSON array on standard output.")
    boolean json;

    @Option(
            names = "--missing",
            description = {
                "The operators through which gradients flow and that have no rule, and how many of 1,000 models of",
                "torchvision, timm and transformers call each."
            })
    boolean missing;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (missing) {
            if (json) {
                MissingOperators.writeJson(out);
            } else {
                MissingOperators.write(out);
            }
        } else if (json) {
            OperatorTable.writeJson(out);
        } else {
            OperatorTable.write(out);
        }
        out.flush();
        return ExitStatus.OK;
    }
}
