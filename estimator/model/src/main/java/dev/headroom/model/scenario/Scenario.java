package dev.headroom.model.scenario;

import dev.headroom.model.device.Gpu;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is trained, how, and on what: a value, which can be a key. Nested records hold what belongs together; {@link
 * ScenarioSettings} names every single setting, and {@link #with} changes one.
 *
 * @param sizes the open sizes of the inputs
 * @param precision the types that the run computes in
 * @param optimizer which optimizer steps, and how
 * @param loop what a step does
 * @param checkpointing what is recomputed
 * @param kernels which kernels PyTorch is told to take
 * @param allocConf in the syntax of {@code PYTORCH_CUDA_ALLOC_CONF}
 * @param torch the version whose behaviour is modelled
 * @param device the card, and what of its memory the run may use
 * @param parallel over how many cards the run is spread, and how
 */
public record Scenario(
        InputSizes sizes,
        Precision precision,
        OptimizerChoice optimizer,
        Loop loop,
        Checkpointing checkpointing,
        Kernels kernels,
        String allocConf,
        TorchVersion torch,
        DeviceBudget device,
        Parallelism parallel) {
    private static final Scenario DEFAULTS = new Scenario(
            InputSizes.DEFAULTS,
            Precision.DEFAULTS,
            OptimizerChoice.DEFAULTS,
            Loop.DEFAULTS,
            Checkpointing.NONE,
            Kernels.DEFAULTS,
            "",
            TorchVersion.NEWEST,
            DeviceBudget.UNKNOWN,
            Parallelism.DEFAULTS);

    /** Whether multi-tensor optimizer kernels are used. */
    public enum Foreach {
        AUTO,
        TRUE,
        FALSE
    }

    /** Which kernel of scaled dot product attention may run (with {@code MATH} as the last resort). */
    public enum Attention {
        AUTO,
        FLASH,
        EFFICIENT,
        CUDNN,
        MATH
    }

    /** Where the workspaces of cuDNN convolutions come from. */
    public enum Workspaces {
        /** An installed cuDNN, else rules, else bounds. */
        AUTO,
        /** An installed cuDNN alone. */
        ASKED,
        /** Rules learned from cuDNN's answers, else bounds, whatever is installed. */
        DISTILLED
    }

    /** PyTorch's defaults: AdamW in the model's own types, three steps, the newest version, no card. */
    public static Scenario defaults() {
        return DEFAULTS;
    }

    /** To put one together from the defaults. */
    public static ScenarioBuilder builder() {
        return new ScenarioBuilder(DEFAULTS);
    }

    /** To put one together from this one. */
    public ScenarioBuilder toBuilder() {
        return new ScenarioBuilder(this);
    }

    /** The same but for one setting. */
    public <T> Scenario with(Setting<T> setting, T value) {
        return setting.set(this, value);
    }

    /** The same but for one size of the inputs. */
    public Scenario withDim(String name, long size) {
        Map<String, Long> dims = new LinkedHashMap<>(sizes.dims());
        dims.put(name, size);
        return with(ScenarioSettings.DIMS, dims);
    }

    /** The same but for what is recomputed. */
    public Scenario withCheckpointing(Checkpointing value) {
        return new Scenario(sizes, precision, optimizer, loop, value, kernels, allocConf, torch, device, parallel);
    }

    /** The same on another card, or with another share of it. */
    public Scenario withDevice(DeviceBudget value) {
        return new Scenario(
                sizes, precision, optimizer, loop, checkpointing, kernels, allocConf, torch, value, parallel);
    }

    /** The same on the whole of a card. */
    public Scenario on(Gpu gpu) {
        return withDevice(DeviceBudget.of(gpu));
    }

    Scenario withSizes(InputSizes value) {
        return new Scenario(
                value, precision, optimizer, loop, checkpointing, kernels, allocConf, torch, device, parallel);
    }

    Scenario withPrecision(Precision value) {
        return new Scenario(sizes, value, optimizer, loop, checkpointing, kernels, allocConf, torch, device, parallel);
    }

    Scenario withOptimizer(OptimizerChoice value) {
        return new Scenario(sizes, precision, value, loop, checkpointing, kernels, allocConf, torch, device, parallel);
    }

    Scenario withLoop(Loop value) {
        return new Scenario(
                sizes, precision, optimizer, value, checkpointing, kernels, allocConf, torch, device, parallel);
    }

    Scenario withKernels(Kernels value) {
        return new Scenario(
                sizes, precision, optimizer, loop, checkpointing, value, allocConf, torch, device, parallel);
    }

    Scenario withAllocConf(String value) {
        return new Scenario(sizes, precision, optimizer, loop, checkpointing, kernels, value, torch, device, parallel);
    }

    Scenario withTorch(TorchVersion value) {
        return new Scenario(
                sizes, precision, optimizer, loop, checkpointing, kernels, allocConf, value, device, parallel);
    }

    /** The same, spread over GPUs in another way. */
    public Scenario withParallel(Parallelism value) {
        return new Scenario(sizes, precision, optimizer, loop, checkpointing, kernels, allocConf, torch, device, value);
    }
}
