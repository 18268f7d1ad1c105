package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/**
 * Gradients that a normalisation kernel sets; {@code null} for those that are not wanted.
 *
 * @param x shaped as the operand
 * @param weight shaped as the weight, as {@code bias}
 */
public record NormGradients(Tensor x, Tensor weight, Tensor bias) {
    /** One of the gradients of the affine map, or {@code null}. */
    public Tensor affine() {
        return weight == null ? bias : weight;
    }
}
