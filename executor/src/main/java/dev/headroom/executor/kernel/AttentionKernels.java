package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Attention kernels: softmax(scale q kᵀ + bias) v without the matrix of scores in memory. */
public interface AttentionKernels {
    /** Sets the call's result and sums. */
    void attention(AttentionCall call);

    /**
     * Sets the gradients of the operands.
     *
     * @param call of the forward pass
     * @param g of the result
     */
    void attentionBackward(AttentionCall call, Tensor g, AttentionCall.Gradients gradients);
}
