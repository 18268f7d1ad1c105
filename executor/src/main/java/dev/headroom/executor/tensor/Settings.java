package dev.headroom.executor.tensor;

import dev.headroom.device.Gpu;
import dev.headroom.training.TrainingRun;

/**
 * What operators look at beside their arguments.
 *
 * @param gpu whose properties decide which kernels run and with how much scratch; on the host backend a nominal one
 * @param attention which kernels of scaled dot product attention may run
 * @param seed of all randomness
 */
public record Settings(Gpu gpu, TrainingRun.Attention attention, long seed) {}
