package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.GRID;
import static dev.headroom.model.scenario.ValueFormats.TEXTS;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.positive;

import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.List;

/** The settings of models that are built from a {@code config.json}: rows of the table of {@link ScenarioSettings}. */
public final class ModelSettings {
    private static final int MOST_LAYERS = 100_000;

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<ModelOptions> MODEL = new ScenarioPart<>(Scenario::model, Scenario::withModel);
    private static final ScenarioPart<Checkpointing> CHECKPOINTING =
            new ScenarioPart<>(Scenario::checkpointing, Scenario::withCheckpointing);

    public static final Setting<Long> SEQ = row(Setting.of("seq", MODEL, ModelOptions::seq, ModelOptions::withSeq)
            .written(positive(), "N", "Tokens of a sequence, of a model from a config.json."));

    public static final Setting<ModelOptions.Task> TASK =
            row(Setting.of("task", MODEL, ModelOptions::task, ModelOptions::withTask)
                    .written(
                            choice(List.of(ModelOptions.Task.values()), OptionNames::of),
                            "HEAD",
                            "auto (the config's own), sequence-classification, token-classification or"
                                    + " question-answering."));

    public static final Setting<ModelOptions.Mask> MASK =
            row(Setting.of("mask", MODEL, ModelOptions::mask, ModelOptions::withMask)
                    .written(
                            choice(List.of(ModelOptions.Mask.values()), OptionNames::of),
                            "KIND",
                            "The attention_mask of a batch: none, full (all ones) or padded."));

    public static final Setting<Boolean> PACKING =
            row(Setting.of("packing", MODEL, ModelOptions::packing, ModelOptions::withPacking)
                    .written(FLAG, "", "position_ids that restart within a sequence, without a mask."));

    public static final Setting<Boolean> USE_CACHE =
            row(Setting.of("use_cache", MODEL, ModelOptions::useCache, ModelOptions::withUseCache)
                    .written(FLAG, "", "Trains with config.use_cache: outputs hold all keys and values."));

    public static final Setting<Boolean> INPUT_GRADS =
            row(Setting.of("input_grads", MODEL, ModelOptions::inputGrads, ModelOptions::withInputGrads)
                    .written(FLAG, "", "enable_input_require_grads(): the embedded tokens require a gradient.")
                    .trainsWith(given -> given));

    public static final Setting<Integer> CHECKPOINT_EVERY =
            row(Setting.of("checkpoint_every", CHECKPOINTING, Checkpointing::every, Checkpointing::withEvery)
                    .written(count(MOST_LAYERS), "N", "With `checkpoint` on a model of transformers: every Nth layer.")
                    .trainsWith(every -> every > 1));

    public static final Setting<Boolean> CHECKPOINT_OFFLOAD =
            row(Setting.of("checkpoint_offload", CHECKPOINTING, Checkpointing::offload, Checkpointing::withOffload)
                    .written(FLAG, "", "With `checkpoint` on a model of transformers: checkpoints in host memory.")
                    .trainsWith(given -> given));

    public static final Setting<ModelOptions.Experts> EXPERTS =
            row(Setting.of("experts", MODEL, ModelOptions::experts, ModelOptions::withExperts)
                    .written(
                            choice(List.of(ModelOptions.Experts.values()), OptionNames::ofUnderscored),
                            "KIND",
                            "How experts are computed: auto, grouped_mm, batched_mm or eager."));

    public static final Setting<ModelOptions.Routing> ROUTING =
            row(Setting.of("routing", MODEL, ModelOptions::routing, ModelOptions::withRouting)
                    .written(
                            choice(List.of(ModelOptions.Routing.values()), OptionNames::of),
                            "KIND",
                            "Tokens of eager experts: balanced, or worst (a few experts get all)."));

    public static final Setting<List<Integer>> IMAGE_SIZE =
            row(Setting.of("image_size", MODEL, ModelOptions::imageSize, ModelOptions::withImageSize)
                    .written(
                            GRID,
                            "HxW",
                            "Height and width of each sequence's image, for models that take images of any size."));

    public static final Setting<List<String>> ENTRIES =
            row(Setting.of("set", MODEL, ModelOptions::entries, ModelOptions::withEntries)
                    .written(TEXTS, "KEY=JSON", "Replaces an entry of the config.json; repeatable."));

    private ModelSettings() {}

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return List.copyOf(ALL);
    }

    /** Those that mean nothing to an archive. */
    public static List<Setting<?>> ofConfigs() {
        return List.of(TASK, MASK, PACKING, USE_CACHE, EXPERTS, ROUTING, IMAGE_SIZE, ENTRIES);
    }
}
