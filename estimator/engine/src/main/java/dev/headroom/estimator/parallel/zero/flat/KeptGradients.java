package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/** The reduced gradients of the own partition, from when they are reduced until the step. */
interface KeptGradients {
    /** A backward pass brings its first gradient. */
    default void beginPass() {}

    /** Takes a reduced gradient out of the bucket. */
    void keep(Tensor parameter, boolean lastPass);

    /** All gradients of a pass are reduced. */
    default void sum(boolean lastPass) {}

    /** Lets go of what only the pass needed. */
    default void endPass() {}

    /** What is to be stepped of a group, in the order of its buffer; held until {@link #release}. */
    List<Tensor> averaged(FlatGroup group);

    /** Lets go of a group's gradients. */
    void release(FlatGroup group);
}
