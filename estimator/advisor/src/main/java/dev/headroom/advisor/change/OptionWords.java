package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** The settings of a run, or those by which it differs from another, as sentences mention them. */
public final class OptionWords {
    private OptionWords() {}

    /** All of a run but for what is left out. */
    public static String of(Scenario run) {
        return String.join(" ", settings(run));
    }

    /** Such as {@code `batch=4` `accumulate=2`}: what the run after has, and the one before has not. */
    public static String added(Scenario before, Scenario after) {
        List<String> settings = settings(after);
        settings.removeAll(settings(before));
        return String.join(" ", settings);
    }

    /** Such as {@code Autocast (`amp=bf16`)}; where settings only go, such as {@code Fresh gradients, without `x`}. */
    static String named(String name, Scenario before, Scenario after) {
        String added = added(before, after);
        return added.isEmpty() ? name + ", without " + added(after, before) : name + " (" + added + ")";
    }

    private static List<String> settings(Scenario run) {
        List<String> mentions = new ArrayList<>();
        for (Mention mention : Mention.all(run)) {
            mentions.add(
                    new Mention(mention.key(), mention.value() == null ? null : quoted(mention.value())).toString());
        }
        return mentions;
    }

    /** In quotes where it is more than a word. */
    private static String quoted(String value) {
        return value.matches("[-\\w.:=,]+") ? value : "'" + value + "'";
    }
}
