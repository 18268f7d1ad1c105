package dev.headroom.app.option;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Options of {@code predict} that stand in a file or in a request: by the words of the command line without their
 * dashes, and read by the same code.
 */
public final class WrittenOptions {
    private static final Map<String, Setting<?>> SETTINGS = settings();

    private final ScenarioOptions scenario = new ScenarioOptions();
    private final DeviceOptions device = new DeviceOptions();

    private WrittenOptions() {}

    /**
     * Reads options.
     *
     * @param given the texts of each option; those of a flag are {@code true} or {@code false}
     * @throws BadOption for a word that is no option, and for too many texts
     */
    public static WrittenOptions of(Map<String, List<String>> given) {
        WrittenOptions options = new WrittenOptions();
        given.forEach(options::give);
        return options;
    }

    /** All words. */
    public static List<String> words() {
        List<String> words = new ArrayList<>(SETTINGS.keySet());
        words.addAll(DeviceOptions.WORDS);
        return words;
    }

    /** Whether an option is about the card alone. */
    public static boolean isOfDevice(String word) {
        return DeviceOptions.WORDS.contains(word);
    }

    /** Whether an option's value may be the name of a file. */
    public static boolean mayNameFile(String word) {
        Setting<?> setting = SETTINGS.get(word);
        return setting != null && setting.words().orElseThrow().label().equals("FILE");
    }

    /**
     * The scenario on its card.
     *
     * @throws dev.headroom.model.error.UserInputException for a value or a combination that cannot be
     */
    public Scenario scenario() {
        return device.on(scenario.toRun());
    }

    /** What was asked for and cannot have an effect, one line each. */
    public List<String> withoutEffect(Scenario asked) {
        return scenario.withoutEffect(asked);
    }

    /**
     * Refuses a word that is no option.
     *
     * @param more words that are known besides
     * @throws BadOption with the word that may be meant
     */
    public static void check(String word, List<String> more) {
        if (!SETTINGS.containsKey(word) && !isOfDevice(word) && !more.contains(word)) {
            List<String> known = words();
            known.addAll(more);
            String hint = Suggestion.of(word, known);
            throw new BadOption("'" + word + "' is no option of headroom predict"
                    + (hint.isEmpty() ? "; write options as on the command line, without their dashes" : hint));
        }
    }

    /**
     * The text of an option that takes one.
     *
     * @throws BadOption for none, or more
     */
    public static String one(String word, List<String> texts) {
        if (texts.size() != 1) {
            throw new BadOption(mention(word) + " takes one value, not " + texts.size());
        }
        return texts.get(0);
    }

    private void give(String word, List<String> texts) {
        check(word, List.of());
        Setting<?> setting = SETTINGS.get(word);
        ValueFormat.Arity arity = setting == null
                ? ValueFormat.Arity.ONE
                : setting.words().orElseThrow().format().arity();
        if (arity == ValueFormat.Arity.MANY && setting != null) {
            scenario.give(setting, texts);
            return;
        }
        String text = one(word, texts);
        if (setting == null) {
            device.give(word, text);
        } else if (arity == ValueFormat.Arity.ONE) {
            scenario.give(setting, texts);
        } else if (text.equals("true")) {
            scenario.give(setting, List.of());
        } else if (!text.equals("false")) {
            throw new BadOption(mention(word) + ": '" + text + "' is neither true nor false");
        }
    }

    private static Mention mention(String word) {
        Setting<?> setting = SETTINGS.get(word);
        return new Mention(setting == null ? word.replace('-', '_') : setting.key(), null);
    }

    private static Map<String, Setting<?>> settings() {
        Map<String, Setting<?>> byWord = new LinkedHashMap<>();
        ScenarioSettings.written()
                .forEach(setting -> byWord.put(ScenarioArguments.option(setting).substring(2), setting));
        return byWord;
    }
}
