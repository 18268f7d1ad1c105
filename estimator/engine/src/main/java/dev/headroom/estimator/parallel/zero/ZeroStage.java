package dev.headroom.estimator.parallel.zero;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.function.Function;

/** What the stages of ZeRO do differently. */
interface ZeroStage {
    /**
     * Makes the optimizer.
     *
     * @param own makes the script's
     */
    Optimizer optimizer(Function<List<Tensor>, Optimizer> own);

    /** A backward pass begins, maybe the last of a step. */
    void beginBackward(boolean lastPass);

    /** All nodes of the backward pass are through. */
    void endBackward();
}
