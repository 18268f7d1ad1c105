package dev.headroom.validation.runs;

import dev.headroom.model.error.UserInputException;

/** A run that no prediction is like, for a reason that is no mistake of its file. */
final class NoCounterpart extends UserInputException {
    private static final long serialVersionUID = 1L;

    NoCounterpart(String reason) {
        super(reason);
    }
}
