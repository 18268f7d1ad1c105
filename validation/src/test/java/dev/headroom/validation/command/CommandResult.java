package dev.headroom.validation.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What {@code headroom validate} did with some arguments. */
record CommandResult(int status, String out, String err, Exception failure) {
    static CommandResult of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Exception[] failure = new Exception[1];
        CommandLine line = new CommandLine(new ValidateCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err));
        line.setExecutionExceptionHandler((e, unused, result) -> {
            failure[0] = e;
            return -1;
        });
        int status = line.execute(args);
        return new CommandResult(status, out.toString(), err.toString(), failure[0]);
    }
}
