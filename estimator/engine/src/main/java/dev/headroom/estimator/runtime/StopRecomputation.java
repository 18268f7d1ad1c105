package dev.headroom.estimator.runtime;

/** Ends a recomputation as soon as all that is needed was saved again; thrown by hooks, caught by who recomputes. */
public final class StopRecomputation extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The only one: it has no stack trace, and is thrown in every recomputed region. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    public static final StopRecomputation INSTANCE = new StopRecomputation();

    private StopRecomputation() {
        super("recomputation is complete", null, false, false);
    }
}
