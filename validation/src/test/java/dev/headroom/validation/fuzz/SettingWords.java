package dev.headroom.validation.fuzz;

import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import dev.headroom.validation.fuzz.Program.Edit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The settings that users write, with values that their help speaks of, and others. */
final class SettingWords {
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:*-]*");

    private static final List<String> VALUES = List.of(
            "0",
            "-1",
            "1",
            "2",
            "3",
            "4",
            "7",
            "8",
            "16",
            "0.3",
            "1.5",
            "-0.5",
            "1e9",
            "1e-300",
            "1e999",
            "NaN",
            "-Infinity",
            "65537",
            "2147483647",
            "2147483648",
            "9223372036854775807",
            "99999999999999999999",
            "x",
            "true",
            "false",
            "auto",
            "all",
            "none",
            "1GiB",
            "0GiB",
            "-1GiB",
            "4TiB",
            "99999999999GiB",
            "1e30GiB",
            "2x2",
            "0x4",
            "224x224",
            "999999999x999999999",
            "a=1",
            "input.0=7",
            "num_hidden_layers=1",
            "hidden_size=0",
            "*",
            "**",
            "layers.0..layers.1",
            "[",
            "a;b=c",
            "*;weight-decay=false",
            "bf16",
            "2.1",
            "blocks_.0",
            "expandable_segments:True",
            "max_split_size_mb:20,roundup_power2_divisions:4",
            "roundup_power2_divisions:[256:1,512:2,>:8]",
            "garbage_collection_threshold:NaN",
            "large_segment_size_mb:99999999999");

    /**
     * A setting.
     *
     * @param word as on the command line, without dashes
     * @param takesValue whether a value follows
     * @param values that may be meant
     */
    record Written(String word, boolean takesValue, List<String> values) {
        String value(Edit edit) {
            List<String> own = edit.value() % 4 == 0 || values.isEmpty() ? VALUES : values;
            return own.get(Edit.of(edit.value() >>> 2, own.size()));
        }
    }

    private static final List<Written> ALL = ScenarioSettings.written().stream()
            .flatMap(setting -> setting.words().stream())
            .map(SettingWords::written)
            .toList();

    private SettingWords() {}

    private static Written written(Setting.Words<?> words) {
        List<String> values = new ArrayList<>(words.format().candidates().get());
        if (values.isEmpty()) {
            values.addAll(List.of("1", "2", "3"));
            WORD.matcher(words.help())
                    .results()
                    .map(found -> found.group().replaceAll("[.:]$", ""))
                    .forEach(values::add);
        }
        return new Written(words.word(), words.format().arity() != ValueFormat.Arity.FLAG, values);
    }

    /** One of them. */
    static Written of(int place) {
        return ALL.get(Edit.of(place, ALL.size()));
    }

    /** The one of that name, or one without values of its own. */
    static Written named(String word) {
        return ALL.stream()
                .filter(written -> written.word().equals(word))
                .findFirst()
                .orElse(new Written(word, true, List.of()));
    }
}
