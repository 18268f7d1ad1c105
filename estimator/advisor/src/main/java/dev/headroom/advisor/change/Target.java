package dev.headroom.advisor.change;

/** The memory that a change is after, in the order in which explanations name the changes. */
public enum Target {
    /** What autograd saves for the backward pass of whole blocks of layers. */
    SAVED_ACTIVATIONS,
    /** What autograd saves within single layers. */
    LAYER_ACTIVATIONS,
    /** All that grows with the samples of a pass. */
    BATCH,
    /** The results of operators, which have fewer bits afterwards; parameters keep theirs. */
    OPERATOR_RESULTS,
    /** Gradients that zero_grad leaves over from the step before. */
    OLD_GRADIENTS,
    OPTIMIZER_STATE,
    /** Temporary tensors of the optimizer's step. */
    OPTIMIZER_STEP,
    /** Outputs and the loss of the step before, which Python's variables hold. */
    OLD_OUTPUTS
}
