package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.ALLOCATOR;
import static dev.headroom.model.scenario.ValueFormats.BINDINGS;
import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.FLOATS;
import static dev.headroom.model.scenario.ValueFormats.HALVES;
import static dev.headroom.model.scenario.ValueFormats.TEXTS;
import static dev.headroom.model.scenario.ValueFormats.TRUE_OR_FALSE;
import static dev.headroom.model.scenario.ValueFormats.VERSION;
import static dev.headroom.model.scenario.ValueFormats.WORKSPACE;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.countOrNone;
import static dev.headroom.model.scenario.ValueFormats.number;
import static dev.headroom.model.scenario.ValueFormats.positive;
import static dev.headroom.model.scenario.ValueFormats.share;

import dev.headroom.allocator.address.Placement;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every setting of a scenario: the one table of options, with {@link OptimizerSettings} for the arguments of
 * optimizers, {@link ParallelSettings} for several GPUs, {@link QuantSettings} for quantised weights and {@link
 * AdapterSettings} for adapters. Help, the words of an option, JSON, completion and the manual are made from these
 * rows, in their order. What a setting means to a run stands at the component of the record that keeps it.
 */
public final class ScenarioSettings {
    private static final int MOST_STEPS = 1_000;
    private static final int MOST_PASSES = 100_000;
    private static final int MOST_SEGMENTS = 1_000_000;

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<Scenario> WHOLE = new ScenarioPart<>(s -> s, (s, changed) -> changed);
    private static final ScenarioPart<InputSizes> SIZES = new ScenarioPart<>(Scenario::sizes, Scenario::withSizes);
    private static final ScenarioPart<Precision> PRECISION =
            new ScenarioPart<>(Scenario::precision, Scenario::withPrecision);
    private static final ScenarioPart<OptimizerChoice> OPTIMIZERS =
            new ScenarioPart<>(Scenario::optimizer, Scenario::withOptimizer);
    private static final ScenarioPart<Loop> LOOP = new ScenarioPart<>(Scenario::loop, Scenario::withLoop);
    private static final ScenarioPart<Checkpointing> CHECKPOINTING =
            new ScenarioPart<>(Scenario::checkpointing, Scenario::withCheckpointing);
    private static final ScenarioPart<Kernels> KERNELS = new ScenarioPart<>(Scenario::kernels, Scenario::withKernels);
    private static final ScenarioPart<DeviceBudget> DEVICE = new ScenarioPart<>(Scenario::device, Scenario::withDevice);

    public static final Setting<Long> BATCH = row(Setting.of("batch", SIZES, InputSizes::batch, InputSizes::withBatch)
            .written(positive(), "N", "Batch size; binds the symbolic batch dimension."));

    public static final Setting<Map<String, Long>> DIMS =
            row(Setting.of("dims", SIZES, InputSizes::dims, InputSizes::withDims)
                    .written("dim", BINDINGS, "NAME=N", "Binds another symbolic dimension; repeatable."));

    public static final Setting<OptimizerKind> OPTIMIZER =
            row(Setting.of("optimizer", OPTIMIZERS, OptimizerChoice::kind, OptimizerChoice::withKind)
                    .written(ValueFormats.OPTIMIZER, "NAME", OptimizerKind.help())
                    .trainsWith(kind -> kind != OptimizerKind.NONE));

    public static final Setting<Scenario.Foreach> FOREACH =
            row(Setting.of("foreach", OPTIMIZERS, OptimizerChoice::foreach, OptimizerChoice::withForeach)
                    .written(
                            choice(List.of(Scenario.Foreach.values()), OptionNames::of),
                            "WHEN",
                            "Multi-tensor optimizer: auto, true or false."));

    public static final Setting<Boolean> FUSED =
            row(Setting.of("fused", OPTIMIZERS, OptimizerChoice::fused, OptimizerChoice::withFused)
                    .written(FLAG, "", "Fused optimizer kernels.")
                    .trainsWith(given -> given));

    static {
        ALL.addAll(OptimizerSettings.all());
    }

    public static final Setting<List<ParameterGroup>> PARAM_GROUPS =
            row(Setting.of("param_group", OPTIMIZERS, OptimizerChoice::groups, OptimizerChoice::withGroups)
                    .written(
                            ParameterGroup.FORMAT,
                            "GROUP",
                            "Parameters that are stepped apart: names with *, and settings of their own, as"
                                    + " '*.bias,*norm*;weight-decay=false'; repeatable. What no group names is not"
                                    + " stepped.")
                    .trainsWith(groups -> !groups.isEmpty())
                    .onlyIf(
                            s -> s.parallel().kind() == ParallelKind.SINGLE
                                    && !s.trainer().loop().isTrainer()
                                    && s.optimizer().groups().stream().allMatch(g -> g.fits(s)),
                            "only on one GPU, in a loop of your own, with settings that the group's optimizer has"));

    public static final Setting<DType> DTYPE =
            row(Setting.of("dtype", PRECISION, Precision::dtype, Precision::withDtype)
                    .written(FLOATS, "TYPE", "Parameters and inputs: fp32, fp16 or bf16."));

    public static final Setting<DType> AMP = row(Setting.of("amp", PRECISION, Precision::amp, Precision::withAmp)
            .written(HALVES, "TYPE", "Autocast: fp16 (with a GradScaler) or bf16.")
            .onlyIf(
                    s -> s.precision().amp() == null || !s.generation().any(),
                    "generate() is predicted without autocast"));

    public static final Setting<Boolean> CONVERTS_ON_DEVICE = row(
            Setting.of("converts_on_device", PRECISION, Precision::convertsOnDevice, Precision::withConvertsOnDevice));

    public static final Setting<LossKind> LOSS = row(Setting.of("loss", LOOP, Loop::loss, Loop::withLoss)
            .written(
                    choice(LossKind.NAMED, OptionNames::of),
                    "KIND",
                    "cross-entropy, tokens, shifted, mse, bce, label-smoothing, sum or output (default: output when the"
                            + " model returns a scalar first).")
            .trainsWith(kind -> kind != LossKind.AUTO));

    public static final Setting<Integer> CHECKPOINT =
            row(Setting.of("checkpoint", CHECKPOINTING, Checkpointing::segments, Checkpointing::withSegments)
                    .written(countOrNone(MOST_SEGMENTS), "SEGMENTS", "Recompute activations in backward.")
                    .trainsWith(segments -> segments > 0));

    public static final Setting<List<String>> CHECKPOINT_MODULES =
            row(Setting.of("checkpoint_modules", CHECKPOINTING, Checkpointing::modules, Checkpointing::withModules)
                    .written(
                            TEXTS,
                            "PATTERN",
                            "Recompute every call of these modules: * is part of a name, ** any"
                                    + " path, FIRST..LAST a run of siblings as"
                                    + " one checkpoint; repeatable.")
                    .trainsWith(modules -> !modules.isEmpty()));

    public static final Setting<Boolean> REENTRANT =
            row(Setting.of("reentrant", CHECKPOINTING, Checkpointing::reentrant, Checkpointing::withReentrant)
                    .written(TRUE_OR_FALSE, "BOOL", "Variant of checkpointing: true or false."));

    public static final Setting<Integer> ACCUMULATE =
            row(Setting.of("accumulate", LOOP, Loop::accumulate, Loop::withAccumulate)
                    .written(count(MOST_PASSES), "K", "Forward and backward passes a step.")
                    .trainsWith(passes -> passes > 1));

    public static final Setting<Integer> STEPS = row(Setting.of("steps", LOOP, Loop::steps, Loop::withSteps)
            .written(count(MOST_STEPS), "N", "Training steps to play (default 3)."));

    public static final Setting<Boolean> ZERO_GRAD_KEEP =
            row(Setting.of("zero_grad_keep", LOOP, Loop::zeroGradKeep, Loop::withZeroGradKeep)
                    .written(FLAG, "", "zero_grad(set_to_none=False).")
                    .trainsWith(given -> given));

    public static final Setting<Boolean> ZERO_GRAD_BEFORE_BACKWARD = row(Setting.of(
            "zero_grad_before_backward", LOOP, Loop::zeroGradBeforeBackward, Loop::withZeroGradBeforeBackward));

    public static final Setting<Boolean> NEW_BATCHES =
            row(Setting.of("new_batches", LOOP, Loop::newBatches, Loop::withNewBatches));

    public static final Setting<Boolean> CHANNELS_LAST =
            row(Setting.of("channels_last", KERNELS, Kernels::channelsLast, Kernels::withChannelsLast)
                    .written(FLAG, "", "Model and images in torch.channels_last."));

    public static final Setting<Boolean> CHANNELS_LAST_3D =
            row(Setting.of("channels_last_3d", KERNELS, Kernels::channelsLast3d, Kernels::withChannelsLast3d)
                    .written(FLAG, "", "Model and volumes in torch.channels_last_3d."));

    public static final Setting<Boolean> DETERMINISTIC =
            row(Setting.of("deterministic", KERNELS, Kernels::deterministic, Kernels::withDeterministic)
                    .written(FLAG, "", "torch.use_deterministic_algorithms(True)."));

    public static final Setting<Boolean> COMPILE =
            row(Setting.of("compile", KERNELS, Kernels::compile, Kernels::withCompile)
                    .written(FLAG, "", "The model goes through torch.compile; an estimate from the archive alone."));

    public static final Setting<Double> COMPILE_BUDGET =
            row(Setting.of("compile_budget", KERNELS, Kernels::compileBudget, Kernels::withCompileBudget)
                    .written(
                            share(),
                            "SHARE",
                            "torch._functorch.config.activation_memory_budget of `compile`, 0 to 1 (default 1)."));

    public static final Setting<Kernels.CompileMode> COMPILE_MODE =
            row(Setting.of("compile_mode", KERNELS, Kernels::compileMode, Kernels::withCompileMode)
                    .written(
                            choice(List.of(Kernels.CompileMode.values()), OptionNames::of),
                            "NAME",
                            "mode of `compile`: default or reduce-overhead."));

    public static final Setting<Boolean> COMPILE_DYNAMIC =
            row(Setting.of("compile_dynamic", KERNELS, Kernels::compileDynamic, Kernels::withCompileDynamic)
                    .written(FLAG, "", "dynamic=True of `compile`: sizes are symbols."));

    public static final Setting<Boolean> COMPILE_REGIONS =
            row(Setting.of("compile_regions", KERNELS, Kernels::compileRegions, Kernels::withCompileRegions)
                    .written(FLAG, "", "`compile` of each repeated block by itself, as accelerate's compile_regions."));

    public static final Setting<Boolean> COMPILE_TUNED = row(Setting.of(
                    "compile_tuned", KERNELS, Kernels::compileTuned, Kernels::withCompileTuned)
            .written(
                    FLAG, "", "Inductor's kernels were tuned by an earlier run on this machine, whose cache is kept."));

    public static final Setting<Boolean> CUDNN_BENCHMARK =
            row(Setting.of("cudnn_benchmark", KERNELS, Kernels::cudnnBenchmark, Kernels::withCudnnBenchmark)
                    .written(FLAG, "", "torch.backends.cudnn.benchmark = True."));

    public static final Setting<CudnnWorkspace> CUDNN_WORKSPACE =
            row(Setting.of("cudnn_workspace", KERNELS, Kernels::cudnnWorkspace, Kernels::withCudnnWorkspace)
                    .written(
                            WORKSPACE,
                            "SIZE",
                            "Workspace of cuDNN convolutions: auto (default), asked (of an"
                                    + " installed cuDNN), live (with a handle of this machine's GPU, which takes"
                                    + " a context on it), distilled (by learned"
                                    + " rules), none or a size; with the last two recurrent layers"
                                    + " have what a stub of cuDNN asks for."));

    public static final Setting<Scenario.Attention> ATTENTION =
            row(Setting.of("attention", KERNELS, Kernels::attention, Kernels::withAttention)
                    .written(
                            choice(List.of(Scenario.Attention.values()), OptionNames::of),
                            "KIND",
                            "auto, flash, efficient, cudnn or math; eager for a model from a config.json."));

    public static final Setting<Boolean> INPUT_GRAD =
            row(Setting.of("input_grad", LOOP, Loop::inputGrad, Loop::withInputGrad)
                    .written(FLAG, "", "The first floating-point input requires a gradient."));

    public static final Setting<Boolean> DROP_OUTPUTS =
            row(Setting.of("drop_outputs", LOOP, Loop::dropOutputs, Loop::withDropOutputs)
                    .written(FLAG, "", "Outputs and loss are deleted after each backward pass.")
                    .onlyIf(s -> !s.trainer().loop().isTrainer(), "a Trainer has variables of its own"));

    public static final Setting<Double> CLIP_GRAD_NORM =
            row(Setting.of("clip_grad_norm", LOOP, Loop::clipGradNorm, Loop::withClipGradNorm)
                    .written(number(), "NORM", "clip_grad_norm_ before each optimizer step.")
                    .alias("max-norm")
                    .trainsWith(norm -> norm != null));

    public static final Setting<Double> CLIP_GRAD_VALUE =
            row(Setting.of("clip_grad_value", LOOP, Loop::clipGradValue, Loop::withClipGradValue)
                    .written(number(), "VALUE", "clip_grad_value_ before each optimizer step.")
                    .trainsWith(value -> value != null)
                    .onlyIf(
                            s -> s.loop().clipGradNorm() == null
                                    && !s.trainer().loop().isTrainer()
                                    && s.parallel().kind() == ParallelKind.SINGLE,
                            "only on one GPU, in a loop of your own, without `clip_grad_norm`"));

    public static final Setting<Boolean> INFERENCE =
            row(Setting.of("inference", LOOP, Loop::inference, Loop::withInference)
                    .written(FLAG, "", "eval() under no_grad: forward passes only."));

    public static final Setting<String> ALLOC_CONF =
            row(Setting.of("alloc_conf", WHOLE, Scenario::allocConf, Scenario::withAllocConf)
                    .written(ALLOCATOR, "STR", "In the syntax of PYTORCH_CUDA_ALLOC_CONF."));

    public static final Setting<TorchVersion> TORCH =
            row(Setting.of("torch", WHOLE, Scenario::torch, Scenario::withTorch)
                    .written(VERSION, "VERSION", "PyTorch version to model (default the newest)."));

    public static final Setting<Gpu> GPU = row(Setting.of("gpu", DEVICE, DeviceBudget::gpu, DeviceBudget::withGpu));

    public static final Setting<Long> MEMORY =
            row(Setting.of("memory", DEVICE, DeviceBudget::memory, DeviceBudget::withMemory));

    public static final Setting<Long> IN_USE =
            row(Setting.of("in_use", DEVICE, DeviceBudget::inUse, DeviceBudget::withInUse));

    public static final Setting<Long> LIMIT =
            row(Setting.of("limit", DEVICE, DeviceBudget::limit, DeviceBudget::withLimit));

    public static final Setting<Placement> PLACEMENT =
            row(Setting.of("placement", DEVICE, DeviceBudget::placement, DeviceBudget::withPlacement));

    private ScenarioSettings() {}

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every setting, in the order of the tables. */
    public static List<Setting<?>> all() {
        return Stream.of(
                        ALL,
                        FeedSettings.all(),
                        TrainerSettings.all(),
                        ModelSettings.all(),
                        GenerationSettings.all(),
                        QuantSettings.all(),
                        AdapterSettings.all(),
                        ParallelSettings.all())
                .flatMap(List::stream)
                .toList();
    }

    /** Those that users can write. */
    public static List<Setting<?>> written() {
        return all().stream().filter(s -> s.words().isPresent()).toList();
    }

    /** Those that users can write and that mean something to a run: of several GPUs only where it has them. */
    public static List<Setting<?>> writtenOf(Scenario run) {
        return written().stream()
                .filter(s -> run.parallel().kind() != ParallelKind.SINGLE
                        || !ParallelSettings.all().contains(s))
                .toList();
    }

    /** The one of a key, if users can write it. */
    public static Optional<Setting<?>> written(String key) {
        return written().stream().filter(s -> s.key().equals(key)).findFirst();
    }
}
