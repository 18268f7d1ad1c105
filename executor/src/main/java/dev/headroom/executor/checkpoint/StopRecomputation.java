package dev.headroom.executor.checkpoint;

/** Ends a recomputation as soon as all that was saved is there again ({@code _StopRecomputationError}). */
final class StopRecomputation extends RuntimeException {
    private static final long serialVersionUID = 1;

    StopRecomputation() {
        super("the recomputation has all it needs", null, false, false);
    }
}
