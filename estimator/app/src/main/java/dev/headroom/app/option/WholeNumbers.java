package dev.headroom.app.option;

/** Options that take a whole number. */
public final class WholeNumbers {
    private WholeNumbers() {}

    /**
     * A number between {@code least} and {@code most}.
     *
     * @throws BadOption when the text is none
     */
    public static long parse(String option, String text, long least, long most) {
        long value;
        try {
            value = Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new BadOption(
                    text.strip().matches("[-+]?\\d+")
                            ? option + ": " + text + " is out of range; it takes " + least + " to " + most
                            : option + ": '" + text + "' is not a whole number");
        }
        if (value < least || value > most) {
            throw new BadOption(option + ": " + value + " is out of range; it takes "
                    + (most == Long.MAX_VALUE ? least + " or more" : least + " to " + most));
        }
        return value;
    }
}
