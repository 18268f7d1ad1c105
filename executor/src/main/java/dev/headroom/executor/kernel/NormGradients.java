package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Gradients that a normalisation kernel sets; {@code null} for those that are not wanted.
 *
 * @param x shaped as the operand
 * @param weight shaped as the weight, as {@code bias}
 */
public record NormGradients(
        @Nullable Tensor x,
        @Nullable Tensor weight,
        @Nullable Tensor bias) {
    /** One of the gradients of the affine map, or {@code null}. */
    public @Nullable Tensor affine() {
        return weight == null ? bias : weight;
    }
}
