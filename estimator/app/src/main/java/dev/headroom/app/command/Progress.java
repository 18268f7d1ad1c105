package dev.headroom.app.command;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * A progress bar on standard error for what takes longer than a second; nothing where standard error is no terminal.
 * The launcher tells by the property {@code headroom.terminal}, as Java knows of standard output alone.
 */
public final class Progress implements AutoCloseable {
    private static final long PATIENCE_NANOS = 1_000_000_000L;
    private static final int WIDTH = 79;

    private final String task;
    private final boolean terminal;
    private final long patienceNanos;
    private final PrintStream err;
    private final long start = System.nanoTime();
    private @Nullable ProgressBar bar;

    Progress(String task, boolean terminal, long patienceNanos, PrintStream err) {
        this.task = task;
        this.terminal = terminal;
        this.patienceNanos = patienceNanos;
        this.err = err;
    }

    /** Begins to measure time. */
    public static Progress of(String task) {
        return new Progress(task, Boolean.getBoolean("headroom.terminal"), PATIENCE_NANOS, System.err);
    }

    /**
     * Tells how far it is; from any thread.
     *
     * @param all negative when that is not known
     */
    public synchronized void at(long done, long all) {
        if (bar == null && terminal && System.nanoTime() - start > patienceNanos) {
            bar = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(all)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(200)
                    .setConsumer(new ConsoleProgressBarConsumer(err, WIDTH))
                    .clearDisplayOnFinish()
                    .build();
        }
        if (bar != null) {
            bar.maxHint(all);
            bar.stepTo(done);
        }
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
