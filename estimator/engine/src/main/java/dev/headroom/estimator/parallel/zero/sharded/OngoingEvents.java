package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.runtime.Streams;
import java.util.ArrayDeque;
import java.util.Deque;

/** Keeps the host from running ahead of the device by more than a few events (partitioned_param_coordinator.py). */
final class OngoingEvents {
    /** How many may be ahead (max_ongoing_fetch_events, max_param_reduce_events). */
    private static final int MOST = 2;

    private final Streams streams;
    private final Deque<Long> events = new ArrayDeque<>();

    OngoingEvents(Streams streams) {
        this.streams = streams;
    }

    /** Waits for the oldest where there are too many. */
    void limit() {
        while (!events.isEmpty() && streams.isOver(events.peek())) {
            events.remove();
        }
        if (events.size() > MOST) {
            streams.waitFor(events.remove());
        }
    }

    void add() {
        events.add(streams.mark());
    }
}
