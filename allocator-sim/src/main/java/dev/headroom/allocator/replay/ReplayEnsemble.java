package dev.headroom.allocator.replay;

import dev.headroom.allocator.trace.TraceSink;
import java.util.List;

/** Plays one trace through several allocators at the same time, so that it is read only once. */
final class ReplayEnsemble implements TraceSink {
    private final Replay[] replays;
    private long recordedFailures;

    ReplayEnsemble(List<Replay> replays) {
        this.replays = replays.toArray(new Replay[0]);
    }

    /** Requests that had failed when the trace was recorded. */
    long recordedFailures() {
        return recordedFailures;
    }

    @Override
    public void allocate(long id, long bytes, int stream) {
        for (Replay replay : replays) {
            replay.allocate(id, bytes, stream);
        }
    }

    @Override
    public void allocateFailed(long bytes, int stream) {
        recordedFailures++;
        for (Replay replay : replays) {
            replay.allocateFailed(bytes, stream);
        }
    }

    @Override
    public void free(long id) {
        for (Replay replay : replays) {
            replay.free(id);
        }
    }

    @Override
    public void freeLater(long id) {
        for (Replay replay : replays) {
            replay.freeLater(id);
        }
    }

    @Override
    public void freeCompleted(long id) {
        for (Replay replay : replays) {
            replay.freeCompleted(id);
        }
    }

    @Override
    public void emptyCache() {
        for (Replay replay : replays) {
            replay.emptyCache();
        }
    }

    @Override
    public void pool(int pool) {
        for (Replay replay : replays) {
            replay.pool(pool);
        }
    }

    @Override
    public void mark(String name, int step, int micro) {
        for (Replay replay : replays) {
            replay.mark(name, step, micro);
        }
    }
}
