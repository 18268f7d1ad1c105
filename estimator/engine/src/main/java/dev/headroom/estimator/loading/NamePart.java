package dev.headroom.estimator.loading;

/**
 * What lies between two dots.
 *
 * @param digits of the number at its end, without zeros before it; "" for none
 */
record NamePart(String word, String digits) implements Comparable<NamePart> {
    static NamePart of(String text) {
        int word = text.length();
        while (word > 0 && isDigit(text.charAt(word - 1))) {
            word--;
        }
        int digits = word;
        while (digits < text.length() - 1 && text.charAt(digits) == '0') {
            digits++;
        }
        return new NamePart(text.substring(0, word), text.substring(digits));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private boolean isNumber() {
        return word.isEmpty() && !digits.isEmpty();
    }

    @Override
    public int compareTo(NamePart other) {
        if (isNumber() != other.isNumber()) {
            return isNumber() ? -1 : 1;
        }
        int order = word.compareTo(other.word);
        if (order != 0) {
            return order;
        }
        // Digits by their value; none comes before any.
        return digits.length() != other.digits.length()
                ? Integer.compare(digits.length(), other.digits.length())
                : digits.compareTo(other.digits);
    }
}
