package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call of layer normalisation of rows: what its two passes share. All tensors are row-major.
 *
 * @param x (rows, n)
 * @param weight (n), or {@code null} for ones
 * @param bias (n), or {@code null} for zeros; the backward pass does not look at it
 * @param mean (rows), set in the forward pass; {@code null} for root mean squares: nothing is taken off
 * @param rstd (rows), one over the standard deviation or the root mean square, set in the forward pass
 * @param epsilon added to the variance
 */
public record LayerNormCall(
        Tensor x,
        @Nullable Tensor weight,
        @Nullable Tensor bias,
        @Nullable Tensor mean,
        Tensor rstd,
        double epsilon) {}
