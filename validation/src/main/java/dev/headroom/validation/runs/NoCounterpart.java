package dev.headroom.validation.runs;

import dev.headroom.graph.GraphException;

/** A run that no prediction is like, for a reason that is no mistake of its file. */
final class NoCounterpart extends GraphException {
    private static final long serialVersionUID = 1L;

    NoCounterpart(String reason) {
        super(reason);
    }
}
