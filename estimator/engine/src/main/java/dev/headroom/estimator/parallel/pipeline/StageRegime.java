package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.plan.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Spreads a stage over ranks that have the same one: what a pipeline does for libraries that wrap its stages
 * (torch/distributed/pipelining/stage.py, backward_maybe_with_nosync and perform_reduce_grad). Hooks of modules that it
 * adds while it wraps are the stage's own.
 */
public interface StageRegime {
    /** Wraps the stage. */
    void wrap();

    /** What is done around the stage's operators, once it is wrapped; {@code null} for nothing. */
    default @Nullable NodeHook nodes() {
        return null;
    }

    /**
     * How the stage gets an activation.
     *
     * @param readers paths of modules that are given it
     * @return {@code null} for whole
     */
    default @Nullable Placement received(List<String> readers) {
        return null;
    }

    /** Sizes of a rank's part of an activation. */
    default long[] local(long[] sizes, Placement placement) {
        return sizes;
    }

    /** The host has paused long enough for NCCL's watchdog to see what is finished. */
    default void pause() {}

    /** The stage is called. */
    default void beforeForward() {}

    /**
     * What the stage returns.
     *
     * @param made by its forward pass, with a reference that passes over
     * @return the same, or another with a reference for the caller
     */
    default Tensor output(Tensor made) {
        return made;
    }

    /**
     * The backward pass of a microbatch begins.
     *
     * @param last whether it is the last that gives gradients to parameters
     */
    default void beforeBackward(boolean last) {}

    /** What the stage's modules have now in the place of a parameter that the optimizer has. */
    default Tensor registered(Tensor parameter) {
        return parameter;
    }

    /** The schedule fetches parameters ahead; the stage computes only after {@link #waitForUnshard}. */
    default void unshard() {}

    /** The stage is about to compute. */
    default void waitForUnshard() {}

    /** The schedule needs the stage no more. */
    default void reshard() {}

    /** All microbatches have given their gradients. */
    default void reduceGradients() {}
}
