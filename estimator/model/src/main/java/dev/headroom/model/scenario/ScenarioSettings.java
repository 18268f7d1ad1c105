package dev.headroom.model.scenario;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Map;

/** Every setting of a scenario. What each means stands at the component of the record that keeps it. */
public final class ScenarioSettings {
    private static final Setting.Part<InputSizes> SIZES = new Setting.Part<>(Scenario::sizes, Scenario::withSizes);
    private static final Setting.Part<Precision> PRECISION =
            new Setting.Part<>(Scenario::precision, Scenario::withPrecision);
    private static final Setting.Part<OptimizerChoice> OPTIMIZER_CHOICE =
            new Setting.Part<>(Scenario::optimizer, Scenario::withOptimizer);
    private static final Setting.Part<OptimizerOptions> OPTIONS =
            OPTIMIZER_CHOICE.part(OptimizerChoice::options, OptimizerChoice::withOptions);
    private static final Setting.Part<Loop> LOOP = new Setting.Part<>(Scenario::loop, Scenario::withLoop);
    private static final Setting.Part<Checkpointing> CHECKPOINTING =
            new Setting.Part<>(Scenario::checkpointing, Scenario::withCheckpointing);
    private static final Setting.Part<Kernels> KERNELS = new Setting.Part<>(Scenario::kernels, Scenario::withKernels);
    private static final Setting.Part<DeviceBudget> DEVICE = new Setting.Part<>(Scenario::device, Scenario::withDevice);

    public static final Setting<Long> BATCH = SIZES.keeps(InputSizes::batch, InputSizes::withBatch);
    public static final Setting<Map<String, Long>> DIMS = SIZES.keeps(InputSizes::dims, InputSizes::withDims);
    public static final Setting<OptimizerKind> OPTIMIZER =
            OPTIMIZER_CHOICE.keeps(OptimizerChoice::kind, OptimizerChoice::withKind);
    public static final Setting<Scenario.Foreach> FOREACH =
            OPTIMIZER_CHOICE.keeps(OptimizerChoice::foreach, OptimizerChoice::withForeach);
    public static final Setting<Boolean> FUSED =
            OPTIMIZER_CHOICE.keeps(OptimizerChoice::fused, OptimizerChoice::withFused);
    public static final Setting<Boolean> WEIGHT_DECAY =
            OPTIONS.keeps(OptimizerOptions::weightDecay, OptimizerOptions::withWeightDecay);
    public static final Setting<Boolean> NESTEROV =
            OPTIONS.keeps(OptimizerOptions::nesterov, OptimizerOptions::withNesterov);
    public static final Setting<Boolean> AMSGRAD =
            OPTIONS.keeps(OptimizerOptions::amsgrad, OptimizerOptions::withAmsgrad);
    public static final Setting<Boolean> MOMENTUM =
            OPTIONS.keeps(OptimizerOptions::momentum, OptimizerOptions::withMomentum);
    public static final Setting<Boolean> CENTERED =
            OPTIONS.keeps(OptimizerOptions::centered, OptimizerOptions::withCentered);
    public static final Setting<DType> DTYPE = PRECISION.keeps(Precision::dtype, Precision::withDtype);
    public static final Setting<DType> AMP = PRECISION.keeps(Precision::amp, Precision::withAmp);
    public static final Setting<Boolean> CONVERTS_ON_DEVICE =
            PRECISION.keeps(Precision::convertsOnDevice, Precision::withConvertsOnDevice);
    public static final Setting<LossKind> LOSS = LOOP.keeps(Loop::loss, Loop::withLoss);
    public static final Setting<Integer> CHECKPOINT =
            CHECKPOINTING.keeps(Checkpointing::segments, Checkpointing::withSegments);
    public static final Setting<List<String>> CHECKPOINT_MODULES =
            CHECKPOINTING.keeps(Checkpointing::modules, Checkpointing::withModules);
    public static final Setting<Boolean> REENTRANT =
            CHECKPOINTING.keeps(Checkpointing::reentrant, Checkpointing::withReentrant);
    public static final Setting<Integer> ACCUMULATE = LOOP.keeps(Loop::accumulate, Loop::withAccumulate);
    public static final Setting<Integer> STEPS = LOOP.keeps(Loop::steps, Loop::withSteps);
    public static final Setting<Boolean> ZERO_GRAD_KEEP = LOOP.keeps(Loop::zeroGradKeep, Loop::withZeroGradKeep);
    public static final Setting<Boolean> ZERO_GRAD_BEFORE_BACKWARD =
            LOOP.keeps(Loop::zeroGradBeforeBackward, Loop::withZeroGradBeforeBackward);
    public static final Setting<Boolean> NEW_BATCHES = LOOP.keeps(Loop::newBatches, Loop::withNewBatches);
    public static final Setting<Boolean> CHANNELS_LAST =
            KERNELS.keeps(Kernels::channelsLast, Kernels::withChannelsLast);
    public static final Setting<Boolean> CUDNN_BENCHMARK =
            KERNELS.keeps(Kernels::cudnnBenchmark, Kernels::withCudnnBenchmark);
    public static final Setting<CudnnWorkspace> CUDNN_WORKSPACE =
            KERNELS.keeps(Kernels::cudnnWorkspace, Kernels::withCudnnWorkspace);
    public static final Setting<Scenario.Attention> ATTENTION =
            KERNELS.keeps(Kernels::attention, Kernels::withAttention);
    public static final Setting<Boolean> INPUT_GRAD = LOOP.keeps(Loop::inputGrad, Loop::withInputGrad);
    public static final Setting<Boolean> DROP_OUTPUTS = LOOP.keeps(Loop::dropOutputs, Loop::withDropOutputs);
    public static final Setting<Boolean> INFERENCE = LOOP.keeps(Loop::inference, Loop::withInference);
    public static final Setting<String> ALLOC_CONF = new Setting<>(Scenario::allocConf, Scenario::withAllocConf);
    public static final Setting<TorchVersion> TORCH = new Setting<>(Scenario::torch, Scenario::withTorch);
    public static final Setting<Gpu> GPU = DEVICE.keeps(DeviceBudget::gpu, DeviceBudget::withGpu);
    public static final Setting<Long> MEMORY = DEVICE.keeps(DeviceBudget::memory, DeviceBudget::withMemory);
    public static final Setting<Long> IN_USE = DEVICE.keeps(DeviceBudget::inUse, DeviceBudget::withInUse);
    public static final Setting<Long> LIMIT = DEVICE.keeps(DeviceBudget::limit, DeviceBudget::withLimit);

    private ScenarioSettings() {}
}
