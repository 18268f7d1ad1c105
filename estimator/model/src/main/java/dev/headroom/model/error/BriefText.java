package dev.headroom.model.error;

/**
 * A text that a user's regular expression may look at a million times: with repetitions inside of repetitions it would
 * go on for years.
 */
public final class BriefText implements CharSequence {
    private static final int MOST_LOOKS = 1_000_000;

    private final String text;
    private int looks;

    public BriefText(String text) {
        this.text = text;
    }

    @Override
    public char charAt(int index) {
        if (++looks > MOST_LOOKS) {
            throw new UserInputException("a regular expression tries '" + text
                    + "' in more than a million ways; write it without repetitions inside of repetitions");
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
