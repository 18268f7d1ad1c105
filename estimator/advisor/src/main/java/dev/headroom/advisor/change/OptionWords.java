package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioArguments;
import java.util.ArrayList;
import java.util.List;

/** The options of the command line by which a run differs from another. */
public final class OptionWords {
    private OptionWords() {}

    /** Such as {@code --batch 4 --accumulate 2}: what the run after has, and the one before has not. */
    public static String added(Scenario before, Scenario after) {
        List<String> options = options(after);
        options.removeAll(options(before));
        return String.join(" ", options);
    }

    /** Such as {@code Autocast (--amp bf16)}; where options only go, such as {@code Fresh gradients, without --x}. */
    static String named(String name, Scenario before, Scenario after) {
        String added = added(before, after);
        return added.isEmpty() ? name + ", without " + added(after, before) : name + " (" + added + ")";
    }

    /** Each option with its value. */
    private static List<String> options(Scenario run) {
        List<String> options = new ArrayList<>();
        for (String word : ScenarioArguments.of(run)) {
            if (word.startsWith("--")) {
                options.add(word);
            } else {
                int last = options.size() - 1;
                options.set(last, options.get(last) + " " + quoted(word));
            }
        }
        return options;
    }

    /** As a shell takes it. */
    private static String quoted(String word) {
        return word.matches("[-\\w.:=,]+") ? word : "'" + word + "'";
    }
}
