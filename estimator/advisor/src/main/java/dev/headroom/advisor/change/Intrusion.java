package dev.headroom.advisor.change;

/** How deep a change goes, the least first: plans are ranked by the deepest of their changes. */
public enum Intrusion {
    /** The same arithmetic, at most by other kernels. */
    NONE,
    /** The same results for more work: recomputation, or more and smaller passes. */
    WORK,
    /** Batch normalization sees the statistics of smaller batches. */
    STATISTICS,
    /** Operators compute in fewer bits; the weights keep theirs. */
    PRECISION,
    /** Weights, gradients and optimizer state have fewer bits. */
    WEIGHTS,
    /** Another update rule, or a coarser state of it. */
    OPTIMIZER,
    /** Another way to fine-tune: fewer weights are trained, others are rounded, or texts are cut. */
    TUNING
}
