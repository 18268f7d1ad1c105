package dev.headroom.cli;

import dev.headroom.graph.GraphException;

/** An option, or a combination of options, that cannot be. */
final class BadOption extends GraphException {
    private static final long serialVersionUID = 1L;

    BadOption(String message) {
        super(message);
    }
}
