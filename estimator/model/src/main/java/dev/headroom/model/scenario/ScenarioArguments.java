package dev.headroom.model.scenario;

import java.util.ArrayList;
import java.util.List;

/**
 * A run as the words of the command line that describe it, defaults left out. Settings that only programs give have
 * none.
 */
public final class ScenarioArguments {
    private ScenarioArguments() {}

    /** Such as {@code --batch, 8, --amp, bf16}. */
    public static List<String> of(Scenario run) {
        List<String> words = new ArrayList<>();
        ScenarioSettings.written().stream()
                .filter(setting -> !setting.canBeLeftOut(run))
                .forEach(setting -> add(words, setting, run));
        return List.copyOf(words);
    }

    /**
     * The option of a setting, such as {@code --zero-grad-keep}; of one that only programs give, what it would be
     * called.
     */
    public static String option(Setting<?> setting) {
        return "--"
                + setting.words().map(Setting.Words::word).orElse(setting.key().replace('_', '-'));
    }

    private static <T> void add(List<String> words, Setting<T> setting, Scenario run) {
        ValueFormat<T> format = setting.words().orElseThrow().format();
        if (format.arity() == ValueFormat.Arity.FLAG) {
            words.add(option(setting));
        } else {
            format.write().apply(setting.get(run)).forEach(text -> words.addAll(List.of(option(setting), text)));
        }
    }
}
