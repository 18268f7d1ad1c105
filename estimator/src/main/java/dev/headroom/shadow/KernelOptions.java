package dev.headroom.shadow;

import dev.headroom.training.TrainingRun;

/**
 * Settings that operators look at.
 *
 * @param cudnnWorkspace bytes of the workspace of every cuDNN convolution
 * @param attention which kernels of scaled dot product attention may run
 */
public record KernelOptions(long cudnnWorkspace, TrainingRun.Attention attention) {}
