package dev.headroom.estimator.log;

/** Who owns bytes at a moment. Together with rounding and cached free memory the categories add up to reserved. */
public enum Category {
    PARAMETERS,
    BUFFERS,
    GRADIENTS,
    OPTIMIZER_STATE,
    /** Held by autograd for the backward pass. */
    SAVED_ACTIVATIONS,
    /** Everything else that operators make: results on their way, scratch, gradients of activations. */
    TEMPORARIES,
    /** cuBLAS, cuBLASLt and cuDNN workspaces. */
    WORKSPACES,
    INPUTS,
    /** The outputs and the loss that the training loop's variables hold. */
    OUTPUTS;

    /** The key in JSON, such as {@code optimizer_state}. */
    public String key() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
