package dev.headroom.validation.command;

import java.io.PrintWriter;
import java.util.function.IntConsumer;

/** Says every few seconds how many runs are predicted; nothing when there are few. */
final class Progress implements IntConsumer {
    private static final long EVERY_NANOS = 3_000_000_000L;

    private final int runs;
    private final PrintWriter err;
    private long last = System.nanoTime();

    Progress(int runs, PrintWriter err) {
        this.runs = runs;
        this.err = err;
    }

    @Override
    public synchronized void accept(int done) {
        if (System.nanoTime() - last > EVERY_NANOS) {
            last = System.nanoTime();
            err.println("headroom: " + done + " of " + runs + " predicted");
            err.flush();
        }
    }
}
