package dev.headroom.app.option;

import dev.headroom.app.words.Door;
import dev.headroom.model.deepspeed.DeepSpeedScenario;
import dev.headroom.model.scenario.BadValue;
import dev.headroom.model.scenario.GenerationSettings;
import dev.headroom.model.scenario.Mention;
import dev.headroom.model.scenario.ParallelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** What is trained and how: an option for each setting that users can write, turned into a {@link Scenario}. */
@Command // to picocli, without an option it would be nothing otherwise
public final class ScenarioOptions {
    /** The texts that were given; of a flag, none. */
    private final Map<Setting<?>, List<String>> given = new LinkedHashMap<>();

    private final Predicate<Setting<?>> offered;

    public ScenarioOptions() {
        this(setting -> true);
    }

    /** @param offered which settings have an option: making those that nobody writes takes time */
    public ScenarioOptions(Predicate<Setting<?>> offered) {
        this.offered = offered;
    }

    /** The settings whose options are among the words of a command line. */
    public static Predicate<Setting<?>> among(List<String> words) {
        Set<String> names = new HashSet<>();
        for (String word : words) {
            names.add(word.indexOf('=') < 0 ? word : word.substring(0, word.indexOf('=')));
        }
        return setting -> names.contains(ScenarioArguments.option(setting))
                || names.contains("--" + setting.words().orElseThrow().alias());
    }

    /** Adds the options to a command; picocli calls this where they are a mixin. */
    @Spec
    public void addOptions(CommandSpec spec) {
        ArgGroupSpec.Builder severalGpus =
                ArgGroupSpec.builder().validate(false).heading("%nSeveral GPUs:%n");
        for (Setting<?> setting : ScenarioSettings.written()) {
            if (!offered.test(setting)) {
                continue;
            }
            if (ParallelSettings.all().contains(setting)) {
                severalGpus.addArg(option(setting));
            } else {
                spec.addOption(option(setting));
            }
        }
        if (!severalGpus.args().isEmpty()) {
            spec.addArgGroup(severalGpus.build());
        }
    }

    private <T> OptionSpec option(Setting<T> setting) {
        Setting.Words<T> words = setting.words().orElseThrow();
        ValueFormat<T> format = words.format();
        GivenTexts texts = new GivenTexts(given, setting, format.arity());
        String name = ScenarioArguments.option(setting);
        OptionSpec.Builder option = (words.alias().isEmpty()
                        ? OptionSpec.builder(name)
                        : OptionSpec.builder(name, "--" + words.alias()))
                .description(Door.COMMAND_LINE.tell(words.help()))
                .getter(texts)
                .setter(texts);
        switch (format.arity()) {
            case FLAG -> option.arity("0").type(boolean.class);
            case ONE -> option.arity("1").type(String.class);
            case MANY -> option.arity("1").type(List.class).auxiliaryTypes(String.class);
        }
        if (format.arity() != ValueFormat.Arity.FLAG) {
            option.paramLabel(words.label());
        }
        List<String> candidates = format.candidates().get();
        return candidates.isEmpty()
                ? option.build()
                : option.completionCandidates(candidates).build();
    }

    /** Gives an option that does not stand on the command line its texts; of a flag, none. */
    void give(Setting<?> setting, List<String> texts) {
        given.put(setting, texts);
    }

    /**
     * The scenario that the options describe, on no card yet.
     *
     * @throws dev.headroom.model.error.UserInputException for a value or a combination that cannot be
     */
    public Scenario toRun() {
        Scenario run = asGiven();
        for (Setting<?> setting : ScenarioSettings.written()) {
            if (!given.containsKey(setting)) {
                run = setting.leftOut(run);
            }
        }
        Combinations.check(run);
        return run;
    }

    /**
     * The same of a run whose batch serves all steps where nothing else was said, as recorders and the executor have
     * it.
     */
    public Scenario toRecorded() {
        Scenario run = asGiven();
        Combinations.check(run);
        return run;
    }

    private Scenario asGiven() {
        Scenario run = Scenario.defaults();
        for (Map.Entry<Setting<?>, List<String>> e : given.entrySet()) {
            run = with(run, e.getKey(), e.getValue());
        }
        return DeepSpeedScenario.complete(run);
    }

    private static <T> Scenario with(Scenario run, Setting<T> setting, List<String> texts) {
        try {
            return run.with(
                    setting, setting.words().orElseThrow().format().read().apply(texts));
        } catch (BadValue e) {
            throw new BadOption(e.line(setting));
        }
    }

    /** What was asked for and cannot have an effect, one line each. */
    public List<String> withoutEffect(Scenario run) {
        List<String> lines = new ArrayList<>();
        if (run.checkpointing().reentrant() != null && !run.checkpointing().any()) {
            lines.add("`reentrant` has no effect without `checkpoint`");
        }
        if (given.containsKey(GenerationSettings.CACHE) && !run.generation().any()) {
            lines.add("`cache` has no effect without `generate`");
        }
        if (run.loop().inference()) {
            ScenarioSettings.written().stream()
                    .filter(setting -> given.containsKey(setting) && setting.trains(run))
                    .forEach(
                            setting -> lines.add(new Mention(setting.key(), null) + " has no effect with `inference`"));
        }
        return lines;
    }

    /** A dimension that is bound again takes the new size. */
    public void bindLast() {
        given.computeIfPresent(ScenarioSettings.DIMS, (setting, texts) -> {
            Map<String, String> last = new LinkedHashMap<>();
            texts.forEach(dim ->
                    last.put(dim.substring(0, Math.max(0, dim.indexOf('='))).strip(), dim));
            return List.copyOf(last.values());
        });
    }
}
