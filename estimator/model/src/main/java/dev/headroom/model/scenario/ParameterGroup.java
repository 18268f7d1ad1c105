package dev.headroom.model.scenario;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.units.Wildcards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A group of parameters, which an optimizer steps on its own (torch/optim/optimizer.py, {@code param_groups}), or one
 * of several optimizers of a run.
 *
 * @param patterns names of parameters with {@link Wildcards}; of several groups the first takes a parameter
 * @param own settings of the group, as the command line has them; others are the run's
 */
public record ParameterGroup(List<String> patterns, List<Own> own) {
    /** A setting of a group: the option's word, and its value. */
    public record Own(String word, String value) {}

    /** {@code PATTERN,PATTERN;word=value;word=value}. */
    static final ValueFormat<List<ParameterGroup>> FORMAT = new ValueFormat<>(
            ValueFormat.Arity.MANY,
            texts -> texts.stream().map(ParameterGroup::read).toList(),
            groups -> groups.stream().map(ParameterGroup::toString).toList(),
            groups -> groups.stream().map(ParameterGroup::toString).toList(),
            List::of);

    private static final String EXAMPLE = "'*.bias,*norm*;weight-decay=false'";

    /** Copies what it is given. */
    public ParameterGroup {
        patterns = List.copyOf(patterns);
        own = List.copyOf(own);
    }

    private static List<Setting<?>> settings() {
        return Stream.concat(
                        Stream.of(ScenarioSettings.OPTIMIZER, ScenarioSettings.FOREACH, ScenarioSettings.FUSED),
                        OptimizerSettings.all().stream())
                .toList();
    }

    private static String word(Setting<?> setting) {
        return setting.words().orElseThrow().word();
    }

    private static ParameterGroup read(String text) {
        String[] parts = text.split(";", -1);
        List<String> patterns =
                Arrays.stream(parts[0].split(",", -1)).map(String::strip).toList();
        if (patterns.contains("")) {
            throw new BadValue("", "'" + text + "' holds an empty name", EXAMPLE);
        }
        List<String> words = settings().stream().map(ParameterGroup::word).toList();
        List<Own> own = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i].strip();
            int at = part.indexOf('=');
            String word = at < 0 ? part : part.substring(0, at).strip();
            if (!words.contains(word)) {
                String hint = Suggestion.of(word, words);
                throw new BadValue("'" + word + "' is no setting of an optimizer"
                        + (hint.isEmpty() ? "; it takes " + String.join(", ", words) : hint));
            }
            own.add(new Own(word, at < 0 ? "true" : part.substring(at + 1).strip()));
        }
        ParameterGroup group = new ParameterGroup(patterns, own);
        group.in(Scenario.defaults());
        return group;
    }

    /** Whether one of its patterns names a parameter. */
    public boolean names(String parameter) {
        return patterns.stream().anyMatch(p -> Wildcards.fit(p, parameter));
    }

    /** Whether the group's optimizer has the settings that it is given. */
    boolean fits(Scenario run) {
        Scenario of = in(run.withOptimizer(run.optimizer().withGroups(List.of())));
        return of.optimizer().kind() != OptimizerKind.NONE
                && settings().stream().allMatch(s -> s.objection(of).isEmpty());
    }

    /** The optimizer of the group. One of another kind than the run's begins with its defaults. */
    public OptimizerChoice choice(Scenario run) {
        return in(run).optimizer().withGroups(List.of());
    }

    private Scenario in(Scenario run) {
        Scenario out = run;
        for (Own o : own) {
            if (o.word.equals(word(ScenarioSettings.OPTIMIZER))) {
                out = with(out.withOptimizer(OptimizerChoice.DEFAULTS), ScenarioSettings.OPTIMIZER, o.value);
            }
        }
        for (Own o : own) {
            for (Setting<?> setting : settings()) {
                if (setting != ScenarioSettings.OPTIMIZER && word(setting).equals(o.word)) {
                    out = with(out, setting, o.value);
                }
            }
        }
        return out;
    }

    @SuppressWarnings("unchecked")
    private static <T> Scenario with(Scenario run, Setting<T> setting, String text) {
        ValueFormat<T> format = setting.words().orElseThrow().format();
        if (format.arity() != ValueFormat.Arity.FLAG) {
            return run.with(setting, format.read().apply(List.of(text)));
        }
        if (!text.equals("true") && !text.equals("false")) {
            throw new BadValue("", word(setting) + " is true or false", EXAMPLE);
        }
        return run.with(setting, (T) Boolean.valueOf(text));
    }

    /** As users write it. */
    @Override
    public String toString() {
        return Stream.concat(Stream.of(String.join(",", patterns)), own.stream().map(o -> o.word + "=" + o.value))
                .collect(Collectors.joining(";"));
    }
}
