package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Normalisation kernels. Results are shaped as the operand. */
public interface NormalizationKernels {
    /** Bytes that the library's batch normalisation keeps from the forward pass for the backward pass. */
    long batchNormReserveBytes(Tensor x);

    /** Bytes of workspace of the library's batch normalisation while it trains. */
    long batchNormWorkspaceBytes(Tensor x, boolean backward);

    /** Normalises every channel with its own mean and variance, which it sets; moves the running ones. */
    void batchNorm(BatchNormCall call, BatchNormCall.Running running, Tensor out);

    /**
     * Gradients of {@link #batchNorm}.
     *
     * @param g gradient of the result
     */
    void batchNormBackward(BatchNormCall call, Tensor g, NormGradients gradients);

    /** Normalises every channel with a given mean and variance. */
    void givenNorm(GivenNormCall call, Tensor out);

    /** Gradients of {@link #givenNorm}. */
    void givenNormBackward(GivenNormCall call, Tensor g, NormGradients gradients);

    /** Normalises groups of channels of each sample. */
    void groupNorm(GroupNormCall call, Tensor out);

    /** Gradients of {@link #groupNorm}. */
    void groupNormBackward(GroupNormCall call, Tensor g, NormGradients gradients);

    /** Normalises rows. */
    void layerNorm(LayerNormCall call, Tensor out);

    /** Gradients of {@link #layerNorm}. */
    void layerNormBackward(LayerNormCall call, Tensor g, NormGradients gradients);
}
