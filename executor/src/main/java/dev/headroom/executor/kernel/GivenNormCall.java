package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call of batch normalisation with given statistics, as in evaluation: what its two passes share.
 *
 * @param x (n, c, …)
 * @param weight (c), may be {@code null}, as may be {@code bias}; the backward pass does not look at the bias
 * @param mean (c), as {@code variance}
 * @param epsilon added to the variance
 */
public record GivenNormCall(
        Tensor x, @Nullable Tensor weight, @Nullable Tensor bias, Tensor mean, Tensor variance, double epsilon) {}
