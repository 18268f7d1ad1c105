package dev.headroom.app.command;

import dev.headroom.app.catalogue.TablesAhead;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The process. */
public final class Main {
    private Main() {}

    /** Runs the command line and exits with its status. */
    public static void main(String[] args) {
        // JSON is UTF-8 by definition; a summary speaks the terminal's character set.
        boolean json = List.of(args).contains("--json");
        String terminal = System.getProperty("sun.stdout.encoding", System.getProperty("native.encoding"));
        PrintWriter out = writer(FileDescriptor.out, json ? StandardCharsets.UTF_8 : charset(terminal));
        PrintWriter err = writer(FileDescriptor.err, charset(terminal));
        TablesAhead.start(args);
        Runtime.getRuntime().exit(run(out, err, args));
    }

    /**
     * Runs one command inside this process, as the test of the documentation does.
     *
     * @return the exit status that the process would have
     */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        boolean debug = "1".equals(System.getenv("HEADROOM_DEBUG"));
        return new Cli(Services.REAL, debug).run(out, err, args);
    }

    private static PrintWriter writer(FileDescriptor to, Charset charset) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(to), charset));
    }

    private static Charset charset(String name) {
        return name != null && Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }
}
