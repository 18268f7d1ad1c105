package dev.headroom.model.scenario;

import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Which kernels PyTorch is told to take.
 *
 * @param channelsLast model and images in {@code torch.channels_last}
 * @param channelsLast3d model and volumes in {@code torch.channels_last_3d}
 * @param cudnnBenchmark {@code torch.backends.cudnn.benchmark}
 * @param deterministic {@code torch.use_deterministic_algorithms(True)}
 * @param cudnnWorkspace what convolutions of cuDNN work in
 * @param attention which kernel of scaled dot product attention may run
 * @param cudnn version of cuDNN; {@code null}: that of PyTorch's own packages
 * @param compile the model goes through {@code torch.compile}
 * @param compileBudget {@code torch._functorch.config.activation_memory_budget}; {@code null} for its default
 * @param compileMode {@code mode} of {@code torch.compile}
 * @param compileDynamic {@code dynamic=True}: sizes are symbols while the model is compiled
 * @param compileRegions each repeated block is compiled by itself, what is around them is not
 * @param compileTuned an earlier run has tuned Inductor's kernels, and its cache on this machine says how
 */
@Withers
public record Kernels(
        boolean channelsLast,
        boolean channelsLast3d,
        boolean cudnnBenchmark,
        boolean deterministic,
        CudnnWorkspace cudnnWorkspace,
        Scenario.Attention attention,
        @Nullable CudnnVersion cudnn,
        boolean compile,
        @Nullable Double compileBudget,
        CompileMode compileMode,
        boolean compileDynamic,
        boolean compileRegions,
        boolean compileTuned)
        implements KernelsWithers.With {
    static final Kernels DEFAULTS = new Kernels(
            false,
            false,
            false,
            false,
            CudnnWorkspace.AUTO,
            Scenario.Attention.AUTO,
            null,
            false,
            null,
            CompileMode.DEFAULT,
            false,
            false,
            false);

    /** {@code mode} of {@code torch.compile}, as far as it changes what is held. */
    public enum CompileMode {
        DEFAULT,
        /** Records the graphs as CUDA graphs. */
        REDUCE_OVERHEAD
    }

    /** Whether tensors of so many dimensions are turned around. */
    public boolean turns(int dimensions) {
        return channelsLast && dimensions == 4 || channelsLast3d && dimensions == 5;
    }
}
