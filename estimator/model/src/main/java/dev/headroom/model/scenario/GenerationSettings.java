package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.countOrNone;

import dev.headroom.model.generation.Generation;
import dev.headroom.model.units.OptionNames;
import java.util.List;

/** The settings of {@code generate()}: rows of the table of {@link ScenarioSettings}. */
public final class GenerationSettings {
    private static final int MOST_TOKENS = 1_000_000;

    private static final ScenarioPart<Scenario> WHOLE = new ScenarioPart<>(s -> s, (s, changed) -> changed);
    private static final ScenarioPart<Generation> GENERATION =
            new ScenarioPart<>(Scenario::generation, Scenario::withGeneration);

    /** A run that generates only infers. */
    public static final Setting<Integer> GENERATE = Setting.of(
                    "generate", WHOLE, s -> s.generation().tokens(), GenerationSettings::generating)
            .written(
                    countOrNone(MOST_TOKENS),
                    "N",
                    "Generates N tokens for a prompt of `seq`, of a model from a config.json.");

    public static final Setting<Generation.Cache> CACHE = Setting.of(
                    "cache", GENERATION, Generation::cache, Generation::withCache)
            .written(
                    choice(List.of(Generation.Cache.values()), OptionNames::of),
                    "KIND",
                    "With `generate`: dynamic (grows) or static (room for all tokens).");

    private GenerationSettings() {}

    private static Scenario generating(Scenario scenario, int tokens) {
        Scenario with = scenario.withGeneration(scenario.generation().withTokens(tokens));
        return tokens == 0 ? with : with.withLoop(with.loop().withInference(true));
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return List.of(GENERATE, CACHE);
    }
}
