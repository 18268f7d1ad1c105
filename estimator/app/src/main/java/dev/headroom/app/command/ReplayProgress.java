package dev.headroom.app.command;

import dev.headroom.allocator.replay.Replay;
import dev.headroom.allocator.replay.ReplayObserver;

/** Says how far a long trace has been played. */
final class ReplayProgress implements ReplayObserver {
    /** Events between two looks at the clock, less one: a mask. */
    private static final long MASK = (1 << 14) - 1;

    private final Progress progress;

    ReplayProgress(Progress progress) {
        this.progress = progress;
    }

    @Override
    public void afterEvent(Replay replay) {
        if ((replay.events() & MASK) == 0) {
            progress.at(replay.events(), -1);
        }
    }
}
