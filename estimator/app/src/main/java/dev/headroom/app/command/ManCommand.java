package dev.headroom.app.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headroom man}: the manual. */
@Command(
        name = ManCommand.NAME,
        description = "Prints the manual page: headroom man > headroom.1; man -l headroom.1",
        mixinStandardHelpOptions = true)
final class ManCommand implements Callable<Integer> {
    static final String NAME = "man";

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        out.print(ManPage.of(spec.root().commandLine()));
        out.flush();
        return ExitStatus.OK;
    }
}
