package dev.headroom.app.command;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headroom completion}: what a shell needs to complete the command line. */
@Command(
        name = CompletionCommand.NAME,
        description = "Prints a script for tab completion in bash and zsh: source <(headroom completion)",
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    static final String NAME = "completion";

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        out.print(AutoComplete.bash("headroom", spec.root().commandLine()));
        out.flush();
        return ExitStatus.OK;
    }
}
