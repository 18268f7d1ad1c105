package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The options of the command line by which a run differs from another, as the table of settings writes them. */
public final class OptionWords {
    private OptionWords() {}

    /** Such as {@code --batch 4 --accumulate 2}: what the run after has, and the one before has not. */
    public static String added(Scenario before, Scenario after) {
        return ScenarioSettings.written().stream()
                .filter(setting -> !setting.isDefault(after))
                .filter(setting -> !Objects.equals(setting.get(before), setting.get(after)))
                .flatMap(setting -> words(setting, after))
                .collect(Collectors.joining(" "));
    }

    /** Such as {@code Autocast (--amp bf16)}; where options only go, such as {@code Fresh gradients, without --x}. */
    static String named(String name, Scenario before, Scenario after) {
        String added = added(before, after);
        return added.isEmpty() ? name + ", without " + added(after, before) : name + " (" + added + ")";
    }

    private static <T> Stream<String> words(Setting<T> setting, Scenario run) {
        Setting.Words<T> words = setting.words().orElseThrow();
        String option = "--" + words.word();
        ValueFormat<T> format = words.format();
        return format.arity() == ValueFormat.Arity.FLAG
                ? Stream.of(option)
                : format.write().apply(setting.get(run)).stream().map(value -> option + " " + quoted(value));
    }

    /** As a shell takes it. */
    private static String quoted(String word) {
        return word.matches("[-\\w.:=,]+") ? word : "'" + word + "'";
    }
}
