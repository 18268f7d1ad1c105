package dev.headroom.model.error;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the known word that somebody meant. */
public final class Suggestion {
    /** Nobody means a word by anything longer, and to compare it would take seconds. */
    private static final int LONGEST = 100;

    private Suggestion() {}

    /** {@code "; did you mean 'x'?"} for the nearest candidate, or {@code ""} when none is near. */
    public static String of(String word, Collection<String> candidates) {
        String nearest = nearest(word, candidates);
        return nearest == null ? "" : "; did you mean '" + nearest + "'?";
    }

    /** The nearest candidate, or {@code null} when more than a third of the word would have to change. */
    static @Nullable String nearest(String word, Collection<String> candidates) {
        if (word.length() > LONGEST) {
            return null;
        }
        String lower = word.toLowerCase(Locale.ROOT);
        String best = null;
        int bestCost = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int cost = cost(lower, candidate.toLowerCase(Locale.ROOT));
            if (cost < bestCost) {
                best = candidate;
                bestCost = cost;
            }
        }
        return best != null && bestCost * 3 <= Math.max(lower.length(), best.length()) + 1 ? best : null;
    }

    /** Edit distance; separators cost nothing, so that {@code rtx3090} means {@code rtx-3090}. */
    private static int cost(String typed, String known) {
        String a = typed.replaceAll("[-_ ]", "");
        String b = known.replaceAll("[-_ ]", "");
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
