package dev.headroom.app.option;

import dev.headroom.model.units.ByteSizes;

/** Options that take a size of memory, as {@link ByteSizes} reads them. */
public final class Sizes {
    private Sizes() {}

    /**
     * Bytes.
     *
     * @param option for the message
     * @throws dev.headroom.model.error.UserInputException when the text is no size
     */
    public static long parse(String option, String text) {
        try {
            return ByteSizes.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadOption(option + ": " + e.getMessage());
        }
    }

    /** As {@link #parse}, and above zero. */
    static long positive(String option, String text) {
        long bytes = parse(option, text);
        if (bytes == 0) {
            throw new BadOption(option + ": must be more than zero");
        }
        return bytes;
    }
}
