package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call of batch normalisation with the batch's own statistics: what its two passes share.
 *
 * @param x (n, c, …)
 * @param weight (c), may be {@code null}, as may be {@code bias}; the backward pass does not look at the bias
 * @param mean (c), set in the forward pass
 * @param invstd (c), one over the standard deviation, set in the forward pass
 * @param epsilon added to the variance
 * @param library {@code null}: by kernels of the framework's own
 */
public record BatchNormCall(
        Tensor x,
        @Nullable Tensor weight,
        @Nullable Tensor bias,
        Tensor mean,
        Tensor invstd,
        double epsilon,
        @Nullable Library library) {
    /**
     * What the library's batch normalisation works in, in bytes.
     *
     * @param reserve kept from the forward pass for the backward pass
     * @param workspace of the pass that runs
     */
    public record Library(Tensor reserve, Tensor workspace) {}

    /**
     * Statistics (c) that follow the batches', both or neither {@code null}.
     *
     * @param momentum how far they move towards the batch's
     */
    public record Running(@Nullable Tensor mean, @Nullable Tensor variance, double momentum) {}
}
