package dev.headroom.cli;

import dev.headroom.allocator.replay.Replay;
import dev.headroom.allocator.replay.ReplayObserver;
import java.io.PrintWriter;
import java.util.Locale;

/** Says every few seconds how far a long trace has been played; nothing for a short one. */
final class ReplayProgress implements ReplayObserver {
    private static final long EVERY_NANOS = 3_000_000_000L;
    /** Events between two looks at the clock, less one: a mask. */
    private static final long MASK = (1 << 16) - 1;

    private final PrintWriter err;
    private long last = System.nanoTime();

    ReplayProgress(PrintWriter err) {
        this.err = err;
    }

    @Override
    public void afterEvent(Replay replay) {
        if ((replay.events() & MASK) == 0 && System.nanoTime() - last > EVERY_NANOS) {
            last = System.nanoTime();
            err.println(String.format(Locale.ROOT, "headroom: %,d events played", replay.events()));
            err.flush();
        }
    }
}
