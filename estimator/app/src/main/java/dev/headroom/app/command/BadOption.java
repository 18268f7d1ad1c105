package dev.headroom.app.command;

import dev.headroom.model.error.UserInputException;

/** An option, or a combination of options, that cannot be. */
final class BadOption extends UserInputException {
    private static final long serialVersionUID = 1L;

    BadOption(String message) {
        super(message);
    }
}
