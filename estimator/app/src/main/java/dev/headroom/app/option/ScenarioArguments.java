package dev.headroom.app.option;

import dev.headroom.app.words.Door;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
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
        for (Mention mention : Mention.all(run)) {
            words.add(option(mention.key()));
            if (mention.value() != null) {
                words.add(mention.value());
            }
        }
        return List.copyOf(words);
    }

    /**
     * The option of a setting, such as {@code --zero-grad-keep}; of one that only programs give, what it would be
     * called.
     */
    public static String option(Setting<?> setting) {
        return option(setting.key());
    }

    private static String option(String key) {
        return Door.COMMAND_LINE.tell(new Mention(key, null).toString());
    }
}
