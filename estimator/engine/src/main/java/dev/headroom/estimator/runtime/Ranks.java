package dev.headroom.estimator.runtime;

import dev.headroom.model.plan.Placement;

/** A group of ranks that share tensors, as one of them sees it. */
public interface Ranks {
    /** How many. */
    int size();

    /** The own place among them. */
    int rank();

    /**
     * Lays a tensor out otherwise (torch/distributed/tensor/_redistribute.py, redistribute_local_tensor); not recorded.
     *
     * @param local what the rank has of it
     * @param sizes of the whole tensor
     * @param asynchronous whether nobody waits for the result here: who reads it first does
     * @return a local variable of the running frame, or {@code local} itself
     */
    Tensor redistribute(Tensor local, Placement from, Placement to, long[] sizes, boolean asynchronous);
}
