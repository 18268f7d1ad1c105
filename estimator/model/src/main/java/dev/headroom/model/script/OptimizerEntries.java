package dev.headroom.model.script;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.scenario.BadValue;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import dev.headroom.model.yaml.Yaml;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads the optimizers of a loop: their arguments are the options of the command line, under the names of its JSON. */
final class OptimizerEntries {
    private static final Map<String, Setting<?>> ARGUMENTS = arguments();
    private static final String NUMBER = "\\d+\\.?\\d*([eE][-+]?\\d+)?|\\.\\d+";

    /** Arguments that change no memory; they may be copied from a script. */
    private static final List<String> OF_NO_MEMORY = List.of("lr", "betas", "eps", "alpha", "dampening");

    private final Collection<String> models;
    private final Scenario scenario;

    /** @param scenario has what is not said */
    OptimizerEntries(Collection<String> models, Scenario scenario) {
        this.models = models;
        this.scenario = scenario;
    }

    private static Map<String, Setting<?>> arguments() {
        Map<String, Setting<?>> out = new LinkedHashMap<>();
        Stream.concat(
                        Stream.<Setting<?>>of(ScenarioSettings.FOREACH, ScenarioSettings.FUSED),
                        OptimizerSettings.all().stream())
                .forEach(setting -> out.put(setting.key(), setting));
        return out;
    }

    Script.Optimizer read(String name, Yaml entry) {
        List<String> known = new ArrayList<>(List.of("kind", "of", "only", "groups"));
        known.addAll(ARGUMENTS.keySet());
        known.addAll(OF_NO_MEMORY);
        Map<String, Yaml> of = entry.map("an optimizer", known);
        if (!of.containsKey("kind")) {
            throw entry.wrong("optimizer '" + name + "' needs a kind, such as adamw");
        }
        Scenario run = with(scenario, ScenarioSettings.OPTIMIZER, of.get("kind"));
        run = applied(run, of);
        if (!of.containsKey("groups")) {
            return new Script.Optimizer(name, List.of(group(run, of, entry)));
        }
        List<Script.Group> groups = new ArrayList<>();
        List<String> ofGroups = new ArrayList<>(List.of("of", "only"));
        ofGroups.addAll(ARGUMENTS.keySet());
        ofGroups.addAll(OF_NO_MEMORY);
        for (Yaml group : of.get("groups").list()) {
            Map<String, Yaml> own = group.map("a group", ofGroups);
            groups.add(group(applied(run, own), own, group));
        }
        return new Script.Optimizer(name, groups);
    }

    private static Scenario applied(Scenario run, Map<String, Yaml> entries) {
        Scenario out = run;
        for (Map.Entry<String, Yaml> e : entries.entrySet()) {
            Setting<?> setting = ARGUMENTS.get(e.getKey());
            if (setting != null) {
                out = with(out, setting, e.getValue());
            }
        }
        return out;
    }

    @SuppressWarnings("unchecked")
    private static <T> Scenario with(Scenario run, Setting<T> setting, Yaml value) {
        String text = value.text(setting.key());
        ValueFormat<T> format = setting.words().orElseThrow().format();
        if (format.arity() == ValueFormat.Arity.FLAG) {
            boolean number = text.matches(NUMBER); // weight_decay: 0.01 is one other than 0
            if (!number && !text.equals("true") && !text.equals("false")) {
                throw value.wrong(setting.key() + " is true, false or a number");
            }
            return run.with(setting, (T) Boolean.valueOf(number ? Double.parseDouble(text) != 0 : text.equals("true")));
        }
        try {
            return run.with(setting, format.read().apply(List.of(text)));
        } catch (BadValue e) {
            throw value.wrong(e.line(setting.key()));
        }
    }

    private Script.Group group(Scenario run, Map<String, Yaml> entries, Yaml entry) {
        List<String> of = new ArrayList<>();
        if (!entries.containsKey("of")) {
            throw entry.wrong("'of' is missing: the models whose parameters are stepped");
        }
        for (Yaml model : entries.get("of").list()) {
            String name = model.text("a model");
            if (!models.contains(name)) {
                throw model.wrong("'" + name + "' is no model" + Suggestion.of(name, models));
            }
            of.add(name);
        }
        List<String> patterns = new ArrayList<>();
        if (entries.containsKey("only")) {
            entries.get("only").list().forEach(p -> patterns.add(p.text("a pattern")));
        }
        for (Setting<?> setting : ARGUMENTS.values()) {
            setting.objection(run).ifPresent(why -> {
                throw entry.wrong(setting.key() + ": " + why);
            });
        }
        if (run.optimizer().kind() == OptimizerKind.NONE) {
            throw entry.wrong("an optimizer of no kind steps nothing; leave it out");
        }
        return new Script.Group(List.copyOf(of), List.copyOf(patterns), run.optimizer());
    }
}
