package dev.headroom.shadow;

import dev.headroom.cudnn.WorkspaceSources;
import dev.headroom.training.TorchVersion;
import dev.headroom.training.TrainingRun;

/**
 * Settings that operators look at.
 *
 * @param cudnnWorkspace bytes of the workspace of every cuDNN convolution; {@code null}: as {@code convolutions} says
 * @param convolutions what is known of the workspaces of cuDNN convolutions
 * @param attention which kernels of scaled dot product attention may run
 * @param torch version whose operators run
 * @param cudnnBenchmark {@code torch.backends.cudnn.benchmark}
 */
public record KernelOptions(
        Long cudnnWorkspace,
        WorkspaceSources convolutions,
        TrainingRun.Attention attention,
        TorchVersion torch,
        boolean cudnnBenchmark) {
    /** Operators of the newest version, without benchmarks, every convolution with the same workspace. */
    public KernelOptions(long cudnnWorkspace, TrainingRun.Attention attention) {
        this(cudnnWorkspace, null, attention, TorchVersion.NEWEST, false);
    }
}
