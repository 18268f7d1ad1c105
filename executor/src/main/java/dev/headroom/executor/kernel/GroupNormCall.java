package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call of group normalisation: what its two passes share.
 *
 * @param x (n, c, …)
 * @param weight (c), may be {@code null}, as may be {@code bias}; the backward pass does not look at the bias
 * @param mean (n, groups), set in the forward pass, as {@code rstd}, one over the standard deviation
 * @param epsilon added to the variance
 */
public record GroupNormCall(
        Tensor x,
        @Nullable Tensor weight,
        @Nullable Tensor bias,
        Tensor mean,
        Tensor rstd,
        int groups,
        double epsilon) {}
