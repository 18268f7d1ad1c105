package dev.headroom.allocator.replay;

/** Looks on while a trace is played. */
public interface ReplayObserver {
    /** After every event. */
    default void afterEvent(Replay replay) {}

    /** At a place that the trace marks; see {@link dev.headroom.allocator.trace.TraceSink#mark}. */
    default void mark(Replay replay, String name, int step, int micro) {}
}
