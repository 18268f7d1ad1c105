package dev.headroom.model.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A setting as sentences name it: its key between backticks, as in "leave out {@code `amp`}", with its value where that
 * matters, as in {@code `dtype=bf16`}. All messages, warnings, advice and help are written so, because a user of the
 * command line, of Python and of the service each write a setting in another way. Whoever shows a sentence to a user
 * puts the user's words in the place of mentions.
 *
 * @param key of a row of {@link ScenarioSettings}
 * @param value as the command line takes it, or what stands for one in help; {@code null} for none
 */
public record Mention(String key, @Nullable String value) {
    private static final char MARK = '`';
    private static final Pattern WRITTEN = Pattern.compile("`([a-z][a-z0-9_]*)(?:=([^`]*))?`");

    /** The settings of a run but for those that are left out, each with the texts of its values. */
    public static List<Mention> all(Scenario run) {
        List<Mention> mentions = new ArrayList<>();
        ScenarioSettings.written().stream()
                .filter(setting -> !setting.canBeLeftOut(run))
                .forEach(setting -> add(mentions, setting, run));
        return List.copyOf(mentions);
    }

    private static <T> void add(List<Mention> mentions, Setting<T> setting, Scenario run) {
        ValueFormat<T> format = setting.words().orElseThrow().format();
        if (format.arity() == ValueFormat.Arity.FLAG) {
            mentions.add(new Mention(setting.key(), null));
        } else {
            format.write().apply(setting.get(run)).forEach(text -> mentions.add(new Mention(setting.key(), text)));
        }
    }

    /** The mentions of a sentence, in order. */
    public static List<Mention> in(String sentence) {
        return WRITTEN.matcher(sentence).results().map(Mention::of).toList();
    }

    /**
     * A sentence in a reader's words.
     *
     * @param words for a mention; empty for one that is none, and stays as it is
     */
    public static String told(String sentence, Function<Mention, Optional<String>> words) {
        return sentence.indexOf(MARK) < 0
                ? sentence
                : WRITTEN.matcher(sentence)
                        .replaceAll(found ->
                                Matcher.quoteReplacement(words.apply(of(found)).orElse(found.group())));
    }

    private static Mention of(MatchResult found) {
        return new Mention(found.group(1), found.group(2));
    }

    /** As sentences have it. */
    @Override
    public String toString() {
        return MARK + key + (value == null ? "" : "=" + value) + MARK;
    }
}
