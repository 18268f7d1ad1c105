package dev.headroom.model.scenario;

import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Which kernels PyTorch is told to take.
 *
 * @param channelsLast model and images in {@code torch.channels_last}
 * @param cudnnBenchmark {@code torch.backends.cudnn.benchmark}
 * @param cudnnWorkspace what convolutions of cuDNN work in
 * @param attention which kernel of scaled dot product attention may run
 * @param cudnn version of cuDNN; {@code null}: that of PyTorch's own packages
 */
@Withers
public record Kernels(
        boolean channelsLast,
        boolean cudnnBenchmark,
        CudnnWorkspace cudnnWorkspace,
        Scenario.Attention attention,
        @Nullable CudnnVersion cudnn)
        implements KernelsWithers.With {
    static final Kernels DEFAULTS = new Kernels(false, false, CudnnWorkspace.AUTO, Scenario.Attention.AUTO, null);
}
