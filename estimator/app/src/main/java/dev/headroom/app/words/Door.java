package dev.headroom.app.words;

import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where users come in, and how settings are written there. */
public enum Door {
    /** {@code --dtype bf16}. */
    COMMAND_LINE,

    /** {@code dtype="bf16"}, keywords of the package {@code headroom}. */
    PYTHON,

    /** {@code "dtype": "bf16"}, options in a request. */
    SERVICE;

    /** The variable by which who starts this process says through which door its answers leave. */
    public static final String VARIABLE = "HEADROOM_DOOR";

    private static final Door HERE = "python".equals(System.getenv(VARIABLE)) ? PYTHON : COMMAND_LINE;

    private static final Map<String, Setting<?>> SETTINGS =
            ScenarioSettings.all().stream().collect(Collectors.toMap(Setting::key, Function.identity()));

    /** The door of this process: the command line's, unless Python has started it. */
    public static Door here() {
        return HERE;
    }

    /** A sentence of any module with settings as users of this door write them; without mentions it stays as it is. */
    public String tell(String sentence) {
        String listed = this == COMMAND_LINE ? sentence : sentence.replace("` `", "`, `");
        return Mention.told(listed, this::words);
    }

    /** An option of the command line, alone or with its value, as users of this door write it. */
    public String option(String written) {
        if (this == COMMAND_LINE) {
            return written;
        }
        String[] parts = written.replaceFirst("^-+", "").split("[ =]", 2);
        String key = parts[0].replace('-', '_');
        return SETTINGS.containsKey(key) ? tell(new Mention(key, parts.length == 1 ? null : parts[1]).toString()) : key;
    }

    /** Whether all doors have words for a mention. */
    public static boolean know(Mention mention) {
        return SETTINGS.containsKey(mention.key())
                || OtherName.of(mention.key()).isPresent();
    }

    private Optional<String> words(Mention mention) {
        Setting<?> setting = SETTINGS.get(mention.key());
        return setting == null
                ? OtherName.of(mention.key()).map(name -> name.words(this))
                : Optional.of(words(setting, mention.value()));
    }

    private String words(Setting<?> setting, @Nullable String value) {
        String word =
                setting.words().map(Setting.Words::word).orElse(setting.key().replace('_', '-'));
        if (this == COMMAND_LINE) {
            return "--" + word + (value == null ? "" : " " + value);
        }
        boolean flag = arity(setting) == ValueFormat.Arity.FLAG;
        String name = this == PYTHON ? word.replace('-', '_') : '"' + word + '"';
        String given = flag ? "true" : value;
        return given == null ? name : name + (this == PYTHON ? "=" : ": ") + literal(setting, given);
    }

    private static ValueFormat.Arity arity(Setting<?> setting) {
        return setting.words().map(words -> words.format().arity()).orElse(ValueFormat.Arity.ONE);
    }

    /** A value as Python or JSON writes it; what stands for a value in help, such as {@code N}, stays as it is. */
    private String literal(Setting<?> setting, String value) {
        String label = setting.words().map(Setting.Words::label).orElse("");
        if (value.equals("true") || value.equals("false")) {
            return this == PYTHON ? value.substring(0, 1).toUpperCase(Locale.ROOT) + value.substring(1) : value;
        }
        boolean number = value.matches("-?\\d+(\\.\\d+)?") && !label.equals("VERSION");
        if (number || value.equals(label) || label.isEmpty() && value.matches("[A-Z]+")) {
            return value;
        }
        String text = value.matches("'.*'") ? value.substring(1, value.length() - 1) : value;
        int equals = text.indexOf('=');
        if (this == PYTHON && label.contains("=") && equals > 0) {
            String part = text.substring(equals + 1);
            return "{\"" + text.substring(0, equals) + "\": " + part + "}";
        }
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
