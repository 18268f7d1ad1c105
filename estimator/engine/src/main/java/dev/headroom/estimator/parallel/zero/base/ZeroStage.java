package dev.headroom.estimator.parallel.zero.base;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the stages of ZeRO do differently. */
public interface ZeroStage {
    /**
     * Makes the optimizer.
     *
     * @param groups trained parameters, by the script's optimizer's groups
     * @param own makes the script's
     */
    Optimizer optimizer(List<List<Tensor>> groups, Function<List<Tensor>, @Nullable Optimizer> own);

    /** A forward pass begins. */
    default void beginForward() {}

    /**
     * A backward pass begins.
     *
     * @param pass its number in the step
     * @param lastPass whether it is the last of the step
     */
    void beginBackward(int pass, boolean lastPass);

    /** All nodes of the backward pass are through. */
    void endBackward();

    /** The host has paused at the end of a phase. */
    default void endPause() {}
}
