package dev.headroom.model.scenario;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * Puts a scenario together. The settings that most runs choose have a method each, named as on the command line; {@link
 * #set} takes any setting of {@link ScenarioSettings}.
 */
public final class ScenarioBuilder {
    private Scenario scenario;

    ScenarioBuilder(Scenario scenario) {
        this.scenario = scenario;
    }

    /** What was put together so far. */
    public Scenario build() {
        return scenario;
    }

    /** Gives a setting a value. */
    public <T> ScenarioBuilder set(Setting<T> setting, T value) {
        scenario = setting.set(scenario, value);
        return this;
    }

    /** Binds an open size of the inputs other than the batch. */
    public ScenarioBuilder dim(String name, long size) {
        scenario = scenario.withDim(name, size);
        return this;
    }

    public ScenarioBuilder batch(long n) {
        return set(ScenarioSettings.BATCH, n);
    }

    public ScenarioBuilder optimizer(OptimizerKind kind) {
        return set(ScenarioSettings.OPTIMIZER, kind);
    }

    public ScenarioBuilder foreach(Scenario.Foreach when) {
        return set(ScenarioSettings.FOREACH, when);
    }

    public ScenarioBuilder fused(boolean fused) {
        return set(ScenarioSettings.FUSED, fused);
    }

    public ScenarioBuilder dtype(DType type) {
        return set(ScenarioSettings.DTYPE, type);
    }

    public ScenarioBuilder amp(DType type) {
        return set(ScenarioSettings.AMP, type);
    }

    public ScenarioBuilder loss(LossKind kind) {
        return set(ScenarioSettings.LOSS, kind);
    }

    public ScenarioBuilder checkpoint(int segments) {
        return set(ScenarioSettings.CHECKPOINT, segments);
    }

    public ScenarioBuilder checkpointModules(String... patterns) {
        return set(ScenarioSettings.CHECKPOINT_MODULES, List.of(patterns));
    }

    public ScenarioBuilder reentrant(boolean reentrant) {
        return set(ScenarioSettings.REENTRANT, reentrant);
    }

    public ScenarioBuilder accumulate(int passes) {
        return set(ScenarioSettings.ACCUMULATE, passes);
    }

    public ScenarioBuilder steps(int n) {
        return set(ScenarioSettings.STEPS, n);
    }

    public ScenarioBuilder zeroGradKeep(boolean keep) {
        return set(ScenarioSettings.ZERO_GRAD_KEEP, keep);
    }

    public ScenarioBuilder channelsLast(boolean last) {
        return set(ScenarioSettings.CHANNELS_LAST, last);
    }

    public ScenarioBuilder cudnnBenchmark(boolean benchmark) {
        return set(ScenarioSettings.CUDNN_BENCHMARK, benchmark);
    }

    public ScenarioBuilder cudnnWorkspace(long bytes) {
        return set(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.of(bytes));
    }

    public ScenarioBuilder attention(Scenario.Attention kind) {
        return set(ScenarioSettings.ATTENTION, kind);
    }

    public ScenarioBuilder inputGrad(boolean requires) {
        return set(ScenarioSettings.INPUT_GRAD, requires);
    }

    public ScenarioBuilder dropOutputs(boolean drop) {
        return set(ScenarioSettings.DROP_OUTPUTS, drop);
    }

    public ScenarioBuilder inference(boolean inference) {
        return set(ScenarioSettings.INFERENCE, inference);
    }

    public ScenarioBuilder allocConf(String settings) {
        return set(ScenarioSettings.ALLOC_CONF, settings);
    }

    public ScenarioBuilder torch(String version) {
        return set(ScenarioSettings.TORCH, TorchVersion.of(version));
    }

    public ScenarioBuilder gpu(Gpu card) {
        return set(ScenarioSettings.GPU, card);
    }

    public ScenarioBuilder memory(long bytes) {
        return set(ScenarioSettings.MEMORY, bytes);
    }

    public ScenarioBuilder inUse(long bytes) {
        return set(ScenarioSettings.IN_USE, bytes);
    }

    public ScenarioBuilder limit(long bytes) {
        return set(ScenarioSettings.LIMIT, bytes);
    }
}
