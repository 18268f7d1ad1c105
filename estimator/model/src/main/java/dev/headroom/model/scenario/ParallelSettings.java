package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.BOOLEAN;
import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.FLOATS;
import static dev.headroom.model.scenario.ValueFormats.GRID;
import static dev.headroom.model.scenario.ValueFormats.HALVES;
import static dev.headroom.model.scenario.ValueFormats.JSON_TEXT;
import static dev.headroom.model.scenario.ValueFormats.PLAN;
import static dev.headroom.model.scenario.ValueFormats.RESHARD;
import static dev.headroom.model.scenario.ValueFormats.TEXTS;
import static dev.headroom.model.scenario.ValueFormats.TRUE_OR_FALSE;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.index;
import static dev.headroom.model.scenario.ValueFormats.number;

import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.DdpOptions;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.PipelineOptions;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.parallel.TensorOptions;
import dev.headroom.model.parallel.ZeroOptions;
import dev.headroom.model.plan.TensorPlan;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The settings of runs on several GPUs: rows of the table that {@link ScenarioSettings} is. */
public final class ParallelSettings {
    private static final int MOST_RANKS = 1_000_000;
    private static final List<String> SCHEDULES = List.of(
            "GPipe", "1F1B", "Interleaved1F1B", "LoopedBFS", "InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV");

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<Parallelism> RUN = new ScenarioPart<>(Scenario::parallel, Scenario::withParallel);
    private static final ScenarioPart<DdpOptions> DDP = RUN.part(Parallelism::ddp, Parallelism::withDdp);
    private static final ScenarioPart<ShardingOptions> FSDP =
            RUN.part(Parallelism::sharding, Parallelism::withSharding);
    private static final ScenarioPart<ZeroOptions> ZERO = RUN.part(Parallelism::zero, Parallelism::withZero);
    private static final ScenarioPart<TensorOptions> TENSOR = RUN.part(Parallelism::tensor, Parallelism::withTensor);
    private static final ScenarioPart<PipelineOptions> PIPELINE =
            RUN.part(Parallelism::pipeline, Parallelism::withPipeline);

    public static final Setting<ParallelKind> PARALLEL =
            row(Setting.of("parallel", RUN, Parallelism::kind, Parallelism::withKind)
                    .written(
                            choice(Arrays.asList(ParallelKind.values()), ParallelKind::option),
                            "KIND",
                            "How the run is spread over GPUs: dp, mp, ddp, fsdp1, fsdp2, zero1,"
                                    + " zero2, zero3, tp, tp+fsdp2, pp, pp+ddp, pp+fsdp2, pp+tp"
                                    + " or 3d (pp, fsdp2 and tp)."));

    public static final Setting<Integer> WORLD =
            row(Setting.of("world", RUN, Parallelism::world, Parallelism::withWorld)
                    .written(count(MOST_RANKS), "N", "Ranks, a GPU each; for dp and mp the devices of the process."));

    public static final Setting<Integer> RANK = row(Setting.of("rank", RUN, Parallelism::rank, Parallelism::withRank)
            .written(index(MOST_RANKS), "R", "Whose memory is told (default: the rank that takes most)."));

    public static final Setting<List<Integer>> MESH =
            row(Setting.of("mesh", RUN, Parallelism::mesh, Parallelism::withMesh)
                    .written(
                            GRID,
                            "RxS",
                            "Replicates over R groups of S ranks that shard (HSDP); PxD, PxT, PxDxT: pipeline,"
                                    + " data and tensor ranks of pp+… and 3d."));

    public static final Setting<Parallelism.Build> BUILD =
            row(Setting.of("build", RUN, Parallelism::build, Parallelism::withBuild)
                    .written(
                            choice(List.of(Parallelism.Build.values()), OptionNames::of),
                            "WHERE",
                            "Where the model is before it is wrapped: cuda, cpu or meta; zero-init (zero3): made"
                                    + " under deepspeed.zero.Init."));

    public static final Setting<Parallelism.Events> EVENTS =
            row(Setting.of("events", RUN, Parallelism::events, Parallelism::withEvents)
                    .written(
                            choice(List.of(Parallelism.Events.values()), OptionNames::of),
                            "WHEN",
                            "done: the device keeps up with the host; lazy: it lags behind."));

    public static final Setting<Boolean> NO_SYNC =
            row(Setting.of("no_sync", RUN, Parallelism::noSync, Parallelism::withNoSync)
                    .written(FLAG, "", "Gradients are reduced in the last pass of an accumulated step only."));

    public static final Setting<Boolean> CPU_OFFLOAD = row(Setting.of(
                    "cpu_offload", RUN, Parallelism::cpuOffload, Parallelism::withCpuOffload)
            .written(FLAG, "", "fsdp1, fsdp2: parameters live in host memory; zero1 to zero3: optimizer states do."));

    public static final Setting<Double> BUCKET_CAP_MB =
            row(Setting.of("bucket_cap_mb", DDP, DdpOptions::bucketCapMb, DdpOptions::withBucketCapMb)
                    .written(number(), "MIB", "ddp: size of gradient buckets (default 25, and 1 for the first)."));

    public static final Setting<Boolean> GRADIENT_AS_BUCKET_VIEW = row(Setting.of(
                    "gradient_as_bucket_view",
                    DDP,
                    DdpOptions::gradientAsBucketView,
                    DdpOptions::withGradientAsBucketView)
            .written(FLAG, "", "ddp: gradients are views of buckets."));

    public static final Setting<Boolean> STATIC_GRAPH =
            row(Setting.of("static_graph", DDP, DdpOptions::staticGraph, DdpOptions::withStaticGraph)
                    .written(FLAG, "", "ddp: every step uses the same parameters."));

    public static final Setting<Boolean> FIND_UNUSED_PARAMETERS = row(Setting.of(
                    "find_unused_parameters",
                    DDP,
                    DdpOptions::findUnusedParameters,
                    DdpOptions::withFindUnusedParameters)
            .written(FLAG, "", "ddp: looks for parameters that a forward pass did not use."));

    public static final Setting<DType> COMPRESS =
            row(Setting.of("compress", DDP, DdpOptions::compress, DdpOptions::withCompress)
                    .written(HALVES, "TYPE", "ddp: a hook sends gradients as fp16 or bf16."));

    public static final Setting<Boolean> ZERO_OPTIMIZER =
            row(Setting.of("zero_optimizer", DDP, DdpOptions::zeroOptimizer, DdpOptions::withZeroOptimizer)
                    .written(FLAG, "", "ddp: ZeroRedundancyOptimizer, each rank steps some parameters."));

    public static final Setting<Boolean> PARAMETERS_AS_BUCKET_VIEW = row(Setting.of(
                    "parameters_as_bucket_view",
                    DDP,
                    DdpOptions::parametersAsBucketView,
                    DdpOptions::withParametersAsBucketView)
            .written(FLAG, "", "ZeroRedundancyOptimizer's parameters are views of buckets."));

    public static final Setting<ShardingOptions.Wrap> WRAP =
            row(Setting.of("wrap", FSDP, ShardingOptions::wrap, ShardingOptions::withWrap)
                    .written(
                            choice(List.of(ShardingOptions.Wrap.values()), OptionNames::of),
                            "UNITS",
                            "fsdp1, fsdp2: block (each block of the model is a unit) or root (the model is one)."));

    public static final Setting<List<String>> WRAP_MODULES =
            row(Setting.of("wrap_modules", FSDP, ShardingOptions::wrapModules, ShardingOptions::withWrapModules)
                    .written(
                            TEXTS,
                            "MODULE",
                            "fsdp1, fsdp2: wraps these in the place of blocks: a path, a pattern or a class; fsdp2:"
                                    + " A+B is one unit, A=keep stays gathered after forward; repeatable."));

    public static final Setting<DType> PARAM_DTYPE =
            row(Setting.of("param_dtype", FSDP, ShardingOptions::paramDtype, ShardingOptions::withParamDtype)
                    .written(FLOATS, "TYPE", "fsdp1, fsdp2: type in which parameters are gathered."));

    public static final Setting<DType> REDUCE_DTYPE =
            row(Setting.of("reduce_dtype", FSDP, ShardingOptions::reduceDtype, ShardingOptions::withReduceDtype)
                    .written(FLOATS, "TYPE", "fsdp1, fsdp2: type in which gradients are reduced."));

    public static final Setting<DType> OUTPUT_DTYPE =
            row(Setting.of("output_dtype", FSDP, ShardingOptions::outputDtype, ShardingOptions::withOutputDtype)
                    .written(FLOATS, "TYPE", "fsdp2: type in which units return what they computed."));

    public static final Setting<Integer> RESHARD_AFTER_FORWARD = row(Setting.of(
                    "reshard_after_forward",
                    FSDP,
                    ShardingOptions::reshardAfterForward,
                    ShardingOptions::withReshardAfterForward)
            .written(RESHARD, "WHEN", "fsdp2: default, true, false, or among how many ranks."));

    public static final Setting<ShardingOptions.Strategy> STRATEGY =
            row(Setting.of("strategy", FSDP, ShardingOptions::strategy, ShardingOptions::withStrategy)
                    .written(
                            choice(List.of(ShardingOptions.Strategy.values()), ShardingOptions.Strategy::option),
                            "NAME",
                            "fsdp1: FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD or _HYBRID_SHARD_ZERO2."));

    public static final Setting<Boolean> LIMIT_ALL_GATHERS = row(Setting.of(
                    "limit_all_gathers", FSDP, ShardingOptions::limitAllGathers, ShardingOptions::withLimitAllGathers)
            .written(BOOLEAN, "BOOL", "fsdp1: the host waits before it gathers too much."));

    public static final Setting<Boolean> USE_ORIG_PARAMS =
            row(Setting.of("use_orig_params", FSDP, ShardingOptions::useOrigParams, ShardingOptions::withUseOrigParams)
                    .written(FLAG, "", "fsdp1: modules keep parameters of their own."));

    public static final Setting<Boolean> SYNC_MODULE_STATES = row(Setting.of(
                    "sync_module_states",
                    FSDP,
                    ShardingOptions::syncModuleStates,
                    ShardingOptions::withSyncModuleStates)
            .written(FLAG, "", "fsdp1: the first rank's parameters and buffers are sent to all."));

    public static final Setting<ShardingOptions.Prefetch> BACKWARD_PREFETCH = row(Setting.of(
                    "backward_prefetch", FSDP, ShardingOptions::backwardPrefetch, ShardingOptions::withBackwardPrefetch)
            .written(
                    choice(List.of(ShardingOptions.Prefetch.values()), OptionNames::of),
                    "WHEN",
                    "fsdp1: the next unit is gathered before (pre) or after (post) gradients, or not ahead (none)."));

    public static final Setting<Integer> TP =
            row(Setting.of("tp", TENSOR, TensorOptions::degree, TensorOptions::withDegree)
                    .written(count(MOST_RANKS), "N", "Ranks that share each layer (default: all)."));

    public static final Setting<Boolean> SEQUENCE_PARALLEL = row(Setting.of(
                    "sequence_parallel", TENSOR, TensorOptions::sequenceParallel, TensorOptions::withSequenceParallel)
            .written(FLAG, "", "tp: what lies between shared layers is divided by the sequence."));

    public static final Setting<Boolean> LOSS_PARALLEL =
            row(Setting.of("loss_parallel", TENSOR, TensorOptions::lossParallel, TensorOptions::withLossParallel)
                    .written(FLAG, "", "tp: the loss works on divided logits."));

    public static final Setting<TensorPlan> TP_PLAN =
            row(Setting.of("tp_plan", TENSOR, TensorOptions::plan, TensorOptions::withPlan)
                    .written(
                            PLAN,
                            "FILE",
                            "tp: JSON from patterns of modules to styles, as parallelize_module has it (default: the"
                                    + " usual plan of models with such modules)."));

    public static final Setting<String> SCHEDULE =
            row(Setting.of("schedule", PIPELINE, PipelineOptions::schedule, PipelineOptions::withSchedule)
                    .written(choice(SCHEDULES, name -> name), "NAME", "pp: " + String.join(", ", SCHEDULES) + "."));

    public static final Setting<Integer> MICROBATCHES =
            row(Setting.of("microbatches", PIPELINE, PipelineOptions::microbatches, PipelineOptions::withMicrobatches)
                    .written(count(MOST_RANKS), "M", "pp, mp: parts of a batch."));

    public static final Setting<Integer> VIRTUAL =
            row(Setting.of("virtual", PIPELINE, PipelineOptions::virtualStages, PipelineOptions::withVirtualStages)
                    .written(count(MOST_RANKS), "N", "pp: stages of a rank, for schedules that have several."));

    public static final Setting<List<String>> SPLIT =
            row(Setting.of("split", PIPELINE, PipelineOptions::split, PipelineOptions::withSplit)
                    .written(TEXTS, "MODULE", "mp, pp: the next device or stage begins with this module; repeatable."));

    public static final Setting<Boolean> PARAM_OFFLOAD =
            row(Setting.of("param_offload", ZERO, ZeroOptions::paramOffload, ZeroOptions::withParamOffload)
                    .written(FLAG, "", "zero3: parameters live in host memory."));

    public static final Setting<Boolean> OVERLAP_COMM =
            row(Setting.of("overlap_comm", ZERO, ZeroOptions::overlapComm, ZeroOptions::withOverlapComm)
                    .written(TRUE_OR_FALSE, "BOOL", "zero1 to zero3: gradients are reduced beside the backward pass."));

    public static final Setting<String> DS_CONFIG =
            row(Setting.of("ds_config", ZERO, ZeroOptions::dsConfig, ZeroOptions::withDsConfig)
                    .written(
                            JSON_TEXT,
                            "FILE",
                            "zero1 to zero3: DeepSpeed's JSON, a file or its text; or the text of its"
                                    + " zero_optimization."));

    private ParallelSettings() {}

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every setting, in the order of the table. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }
}
