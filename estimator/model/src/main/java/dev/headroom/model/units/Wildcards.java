package dev.headroom.model.units;

/**
 * Names against patterns with wildcards of file names: {@code *} for any text, {@code ?} for any character. As regular
 * expressions, patterns with many asterisks would take a time that grows exponentially; here it is the product of the
 * two lengths at most.
 */
public final class Wildcards {
    private Wildcards() {}

    /** Whether a name fits a pattern. */
    public static boolean fit(String pattern, String name) {
        int p = 0;
        int asterisk = -1;
        int resume = 0;
        for (int n = 0; n < name.length(); ) {
            char wanted = p < pattern.length() ? pattern.charAt(p) : 0;
            if (wanted == '*') {
                asterisk = p++;
                resume = n;
            } else if (p < pattern.length() && (wanted == '?' || wanted == name.charAt(n))) {
                p++;
                n++;
            } else if (asterisk >= 0) {
                // The last asterisk takes one character more; those before it never need to.
                p = asterisk + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
