package dev.headroom.estimator.loading;

import java.util.Comparator;

/**
 * The order in which a checkpoint's tensors are loaded: by the parts of their names between dots, numbers before words,
 * numbers at the end of words as numbers (transformers/core_model_loading.py, dot_natural_key).
 */
final class NaturalOrder implements Comparator<String> {
    static final NaturalOrder INSTANCE = new NaturalOrder();

    private NaturalOrder() {}

    @Override
    public int compare(String a, String b) {
        String[] left = a.split("\\.", -1);
        String[] right = b.split("\\.", -1);
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            int order = part(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    private static int part(String a, String b) {
        int wordA = word(a);
        int wordB = word(b);
        boolean numberA = wordA == 0 && !a.isEmpty();
        boolean numberB = wordB == 0 && !b.isEmpty();
        if (numberA != numberB) {
            return numberA ? -1 : 1;
        }
        int order = a.substring(0, wordA).compareTo(b.substring(0, wordB));
        return order != 0 ? order : number(a.substring(wordA), b.substring(wordB));
    }

    /** Where the number at the end begins. */
    private static int word(String part) {
        int end = part.length();
        while (end > 0 && part.charAt(end - 1) >= '0' && part.charAt(end - 1) <= '9') {
            end--;
        }
        return end;
    }

    /** Digits by their value; none comes before any. */
    private static int number(String a, String b) {
        String left = a.replaceFirst("^0+(?=.)", "");
        String right = b.replaceFirst("^0+(?=.)", "");
        return left.length() != right.length() ? Integer.compare(left.length(), right.length()) : left.compareTo(right);
    }
}
