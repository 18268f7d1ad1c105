package dev.headroom.app.command;

import dev.headroom.app.catalogue.ModelTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom models}: what needs no archive. */
@Command(
        name = "models",
        description = "Lists the families of models that a config.json is enough for, and models that ship by name.",
        mixinStandardHelpOptions = true)
final class ModelsCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ModelTable.writeJson(out);
        } else {
            ModelTable.write(out);
        }
        out.flush();
        return ExitStatus.OK;
    }
}
