package dev.headroom.app.option;

import dev.headroom.model.error.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Options that take one of several words. */
public final class Choice {
    private Choice() {}

    /**
     * The value that a word names.
     *
     * @throws BadOption when it names none
     */
    public static <T> T of(String option, String word, T[] values, Function<T, String> name) {
        List<String> known = new ArrayList<>();
        for (T value : values) {
            String candidate = name.apply(value);
            if (candidate.equals(word)) {
                return value;
            }
            if (candidate != null) {
                known.add(candidate);
            }
        }
        String hint = Suggestion.of(word, known);
        throw new BadOption(option + ": '" + word + "' is not known"
                + (hint.isEmpty() ? "; it takes " + String.join(", ", known) : hint));
    }
}
