package dev.headroom.app.option;

import dev.headroom.model.error.UserInputException;

/** An option, or a combination of options, that cannot be. */
public final class BadOption extends UserInputException {
    private static final long serialVersionUID = 1L;

    public BadOption(String message) {
        super(message);
    }
}
