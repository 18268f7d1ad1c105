package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.NAMES;
import static dev.headroom.model.scenario.ValueFormats.TRUE_OR_FALSE;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.choices;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.positive;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.trainer.LigerKernel;
import dev.headroom.model.trainer.LoopKind;
import dev.headroom.model.trainer.TrainerOptions;
import dev.headroom.model.trainer.TransformersVersion;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The settings of training loops that libraries bring: rows of the table of {@link ScenarioSettings}. */
public final class TrainerSettings {
    private static final int MOST_BATCHES = 100_000;

    private static final int MOST_RANK = 1_000_000;

    private static final ScenarioPart<OptimizerOptions> ARGUMENTS = new ScenarioPart<>(
                    Scenario::optimizer, Scenario::withOptimizer)
            .part(OptimizerChoice::options, OptimizerChoice::withOptions);

    /** What a Trainer's model can be wrapped by, of what is modelled. */
    private static final Set<ParallelKind> SPREADS = EnumSet.of(
            ParallelKind.SINGLE,
            ParallelKind.DP,
            ParallelKind.DDP,
            ParallelKind.FSDP1,
            ParallelKind.FSDP2,
            ParallelKind.ZERO1,
            ParallelKind.ZERO2,
            ParallelKind.ZERO3);

    private static final List<LigerKernel> LOSSES =
            List.of(LigerKernel.CROSS_ENTROPY, LigerKernel.FUSED_LINEAR_CROSS_ENTROPY);

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<TrainerOptions> TRAINER =
            new ScenarioPart<>(Scenario::trainer, Scenario::withTrainer);

    public static final Setting<LoopKind> LOOP =
            row(Setting.of("loop", TRAINER, TrainerOptions::loop, TrainerOptions::withLoop)
                    .written(
                            choice(List.of(LoopKind.values()), OptionNames::of),
                            "KIND",
                            "Whose training loop: plain, trainer (of transformers) or sft (SFTTrainer of trl).")
                    .trainsWith(LoopKind::isTrainer)
                    .onlyIf(
                            s -> SPREADS.contains(s.parallel().kind()),
                            "the Trainer runs under dp, ddp, fsdp1, fsdp2, zero1, zero2 or zero3"));

    public static final Setting<TransformersVersion> TRANSFORMERS =
            row(Setting.of("transformers", TRAINER, TrainerOptions::transformers, TrainerOptions::withTransformers)
                    .written(
                            ValueFormat.one(
                                    TrainerSettings::version,
                                    TransformersVersion::toString,
                                    TransformersVersion::toString,
                                    List.of()),
                            "VERSION",
                            "Version of transformers whose Trainer, losses, experts and checkpoints are modelled"
                                    + " (default the newest)."));

    public static final Setting<Boolean> LIGER = row(Setting.of(
                    "liger", TRAINER, TrainerOptions::liger, TrainerOptions::withLiger)
            .written(FLAG, "", "Liger's kernels: norms, rotary positions, gated activations, and head and loss in one.")
            .trainsWith(given -> given));

    public static final Setting<List<LigerKernel>> LIGER_KERNELS = row(Setting.of(
                    "liger_kernels", TRAINER, TrainerOptions::ligerKernels, TrainerOptions::withLigerKernels)
            .written(
                    choices(List.of(LigerKernel.values()), OptionNames::of),
                    "NAMES",
                    "With `liger`, only these of liger_kernel_config: rope, rms-norm, swiglu and one of cross-entropy"
                            + " and fused-linear-cross-entropy.")
            .onlyIf(
                    s -> s.trainer().liger() && !s.trainer().ligerKernels().containsAll(LOSSES),
                    "it belongs to `liger`, which puts in one of the two losses"));

    public static final Setting<Long> EVAL_BATCH =
            row(Setting.of("eval_batch", TRAINER, TrainerOptions::evalBatch, TrainerOptions::withEvalBatch)
                    .written(positive(), "N", "Batch size of an evaluation after every step.")
                    .trainsWith(batch -> batch != null)
                    .onlyIf(
                            s -> !s.trainer().fusesHead() && evaluates(s),
                            "evaluation belongs to `loop=plain` or trainer on one GPU, and to trainer with ddp"));

    public static final Setting<Integer> EVAL_BATCHES =
            evaluation(Setting.of("eval_batches", TRAINER, TrainerOptions::evalBatches, TrainerOptions::withEvalBatches)
                    .written(count(MOST_BATCHES), "K", "Batches of an evaluation (default 2)."));

    public static final Setting<Integer> EVAL_ACCUMULATION = evaluation(Setting.of(
                    "eval_accumulation",
                    TRAINER,
                    TrainerOptions::evalAccumulation,
                    TrainerOptions::withEvalAccumulation)
            .written(
                    count(MOST_BATCHES),
                    "K",
                    "eval_accumulation_steps of a Trainer: what was gathered goes to the host after so many"
                            + " batches."));

    public static final Setting<Boolean> EVAL_METRICS =
            evaluation(Setting.of("eval_metrics", TRAINER, TrainerOptions::evalMetrics, TrainerOptions::withEvalMetrics)
                    .written(FLAG, "", "compute_metrics: the scores of all batches are gathered on the device."));

    public static final Setting<Boolean> DDP_FIND_UNUSED_PARAMETERS = row(Setting.of(
                    "ddp_find_unused_parameters",
                    TRAINER,
                    TrainerOptions::ddpFindUnusedParameters,
                    TrainerOptions::withDdpFindUnusedParameters)
            .written(
                    TRUE_OR_FALSE,
                    "BOOL",
                    "TrainingArguments' own (default: true, but for models without adapters that checkpoint).")
            .onlyIf(
                    s -> s.trainer().loop().isTrainer() && s.parallel().kind() == ParallelKind.DDP,
                    "it belongs to `loop=trainer` and sft with `parallel=ddp`"));

    public static final Setting<Boolean> CPU_RAM_EFFICIENT_LOADING = row(Setting.of(
                    "cpu_ram_efficient_loading",
                    TRAINER,
                    TrainerOptions::ramEfficientLoading,
                    (options, value) -> options.withRamEfficientLoading(value == null || value))
            .written(
                    TRUE_OR_FALSE,
                    "BOOL",
                    "Of accelerate's FSDP: the first rank alone loads, and sends all others their parts (default"
                            + " true, as `accelerate config` proposes).")
            .onlyIf(
                    s -> s.trainer().loop().isTrainer() && s.parallel().kind().isFullySharded(),
                    "it belongs to `loop=trainer` and sft with `parallel=fsdp1` and fsdp2"));

    public static final Setting<List<String>> OPTIM_TARGET_MODULES = projection(Setting.of(
                    "optim_target_modules",
                    ARGUMENTS,
                    OptimizerOptions::targetModules,
                    OptimizerOptions::withTargetModules)
            .written(
                    NAMES,
                    "NAMES",
                    "optim_target_modules: linear layers whose gradients galore-… and apollo-… project: parts of"
                            + " their paths with commas between them, or all-linear."));

    public static final Setting<Integer> OPTIM_RANK =
            projection(Setting.of("optim_rank", ARGUMENTS, OptimizerOptions::rank, OptimizerOptions::withRank)
                    .written(count(MOST_RANK), "N", "Rank of these projections (default 128)."));

    public static final Setting<Boolean> OPTIM_LAYERWISE = row(Setting.of(
                    "optim_layerwise", ARGUMENTS, OptimizerOptions::layerwise, OptimizerOptions::withLayerwise)
            .written(FLAG, "", "galore_adamw_layerwise and its like: each parameter is stepped in the backward pass.")
            .onlyIf(
                    s -> s.optimizer().kind().projects()
                            && s.loop().accumulate() == 1
                            && s.optimizer().kind() != OptimizerKind.GALORE_ADAFACTOR,
                    "it belongs to galore-adamw, galore-adamw8bit and apollo-adamw without `accumulate`"));

    private TrainerSettings() {}

    private static <T> Setting<T> evaluation(Setting<T> setting) {
        return row(setting.onlyIf(s -> s.trainer().evalBatch() != null, "it belongs to `eval_batch`"));
    }

    private static boolean evaluates(Scenario s) {
        ParallelKind kind = s.parallel().kind();
        return kind == ParallelKind.SINGLE
                || kind == ParallelKind.DDP && s.trainer().loop().isTrainer();
    }

    private static TransformersVersion version(String text) {
        try {
            return TransformersVersion.of(text);
        } catch (IllegalArgumentException e) {
            throw new BadValue(e.getMessage());
        }
    }

    private static <T> Setting<T> projection(Setting<T> setting) {
        return row(setting.onlyIf(
                s -> s.optimizer().kind().projects(), "it belongs to `optimizer=galore-…` and apollo-…"));
    }

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return List.copyOf(ALL);
    }
}
