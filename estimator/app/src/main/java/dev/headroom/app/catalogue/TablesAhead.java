package dev.headroom.app.catalogue;

import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.op.rule.AtenOperators;
import dev.headroom.model.device.GpuCatalogue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/**
 * Reads what nearly every answer needs on a thread of its own, while the command line and the model are read. Only
 * tables that know nothing of each other are read: two threads that initialise classes which need each other would
 * wait for ever.
 */
public final class TablesAhead implements Runnable {
    private static final Set<String> COMMANDS = Set.of("predict", "explain", "advise");

    /** For the commands that answer about a run. */
    public static void start(String... args) {
        if (args.length > 1 && COMMANDS.contains(args[0])) {
            Thread ahead = new Thread(new TablesAhead(), "tables");
            ahead.setDaemon(true);
            ahead.start();
        }
    }

    @Override
    public void run() {
        GpuCatalogue.all();
        openJars();
        AtenOperators.all();
        Deviations.published();
    }

    /** Who looks for providers of a service looks into every jar. */
    private static void openJars() {
        try {
            TablesAhead.class
                    .getClassLoader()
                    .getResources("META-INF/services/none")
                    .hasMoreElements();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
