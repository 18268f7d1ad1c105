package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code nll_loss}: what its forward and its backward pass share.
 *
 * @param target (n, rest), class numbers
 * @param weight (classes), or {@code null}
 * @param totalWeight a scalar, set to the weights' sum in the forward pass
 * @param ignored the class number of targets that do not count
 * @param each one loss for each target rather than a sum
 * @param mean whether the sum is divided by the total weight
 */
public record ClassLossCall(
        Tensor target, @Nullable Tensor weight, Tensor totalWeight, long ignored, boolean each, boolean mean) {}
