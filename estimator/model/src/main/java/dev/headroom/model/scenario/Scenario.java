package dev.headroom.model.scenario;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.feed.Feeding;
import dev.headroom.model.generation.Generation;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.quant.Quantisation;
import dev.headroom.model.record.Withers;
import dev.headroom.model.trainer.TrainerOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
 * @param trainer whose training loop runs
 * @param model what a model from a {@code config.json} computes
 * @param generation how many tokens are generated, and with which cache
 * @param parallel over how many cards the run is spread, and how
 * @param quant which weights are quantised, and how the model is loaded
 * @param adapters what is trained of the model, and what is added to it
 * @param feeding how batches come to the device
 */
@Withers
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
        TrainerOptions trainer,
        ModelOptions model,
        Generation generation,
        Parallelism parallel,
        Quantisation quant,
        AdapterOptions adapters,
        Feeding feeding)
        implements ScenarioWithers.With {
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
            TrainerOptions.DEFAULTS,
            ModelOptions.DEFAULTS,
            Generation.NONE,
            Parallelism.DEFAULTS,
            Quantisation.NONE,
            AdapterOptions.NONE,
            Feeding.DEFAULTS);

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
        MATH,
        /** None: a model from a {@code config.json} computes its attention in plain operators. */
        EAGER
    }

    /** Where the workspaces of cuDNN convolutions come from. */
    public enum Workspaces {
        /** An installed cuDNN, else rules, else bounds. */
        AUTO,
        /** An installed cuDNN with a handle of this machine's GPU, if the run is on one like it; else {@link #AUTO}. */
        LIVE,
        /** An installed cuDNN alone. */
        ASKED,
        /** Rules learned from cuDNN's answers, else bounds, whatever is installed. */
        DISTILLED
    }

    /**
     * Of what tells most runs apart. A record's own would ask every nested record, and Java would link each one's at
     * its first use: a thirtieth of the time of a short command.
     */
    @Override
    public int hashCode() {
        return Objects.hash(sizes.batch(), sizes.dims(), optimizer.kind(), precision.dtype());
    }

    /** PyTorch's defaults: AdamW in the model's own types, three steps, the newest version, no card. */
    public static Scenario defaults() {
        return DEFAULTS;
    }

    /** The version of cuDNN: what was asked for, or that of PyTorch's packages. */
    public CudnnVersion cudnnVersion() {
        return kernels.cudnn() == null ? torch.cudnn() : kernels.cudnn();
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
    public <T> Scenario with(Setting<T> setting, @Nullable T value) {
        return setting.set(this, value);
    }

    /** The same but for one size of the inputs. */
    public Scenario withDim(String name, long size) {
        Map<String, Long> dims = new LinkedHashMap<>(sizes.dims());
        dims.put(name, size);
        return with(ScenarioSettings.DIMS, dims);
    }

    /** The same on the whole of a card. */
    public Scenario on(Gpu gpu) {
        return withDevice(DeviceBudget.of(gpu));
    }
}
