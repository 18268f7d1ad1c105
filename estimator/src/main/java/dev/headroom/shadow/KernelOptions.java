package dev.headroom.shadow;

import dev.headroom.training.TorchVersion;
import dev.headroom.training.TrainingRun;

/**
 * Settings that operators look at.
 *
 * @param cudnnWorkspace bytes of the workspace of every cuDNN convolution
 * @param attention which kernels of scaled dot product attention may run
 * @param torch version whose operators run
 * @param cudnnBenchmark {@code torch.backends.cudnn.benchmark}
 */
public record KernelOptions(
        long cudnnWorkspace, TrainingRun.Attention attention, TorchVersion torch, boolean cudnnBenchmark) {
    /** Operators of the newest version, without benchmarks. */
    public KernelOptions(long cudnnWorkspace, TrainingRun.Attention attention) {
        this(cudnnWorkspace, attention, TorchVersion.NEWEST, false);
    }
}
