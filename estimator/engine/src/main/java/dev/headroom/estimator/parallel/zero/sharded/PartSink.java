package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/** Takes the own parts of reduced gradients. */
@FunctionalInterface
interface PartSink {
    /**
     * Takes parts and lets go of whole gradients (deepspeed/runtime/zero/stage3.py, partition_grads).
     *
     * @param parts parallel to the parameters
     */
    void take(List<ShardedParameter> parameters, List<Tensor> parts);
}
