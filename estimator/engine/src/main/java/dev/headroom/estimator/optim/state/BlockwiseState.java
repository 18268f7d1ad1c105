package dev.headroom.estimator.optim.state;

/**
 * What an optimizer of bitsandbytes keeps for each parameter (bitsandbytes 0.50.2, optim/optimizer.py, {@code
 * Optimizer1State} and {@code Optimizer2State}; optim/ademamix.py).
 *
 * @param first copies of the parameter in the first tensor: 2 for AdEMAMix, whose two averages are one tensor
 * @param second whether there is a second tensor
 * @param quantised one byte an element and scales, of parameters that are not small; else float32
 * @param paged in managed memory, of parameters that are not small
 * @param limited whether updates are limited by their norm ({@code max_unorm})
 * @param bf16 whether the kernels of float32 states take bfloat16 gradients (backends/cuda/ops.py)
 */
public record BlockwiseState(
        int first, boolean second, boolean quantised, boolean paged, boolean limited, boolean bf16) {
    public static final BlockwiseState ONE = new BlockwiseState(1, false, false, false, false, true);
    public static final BlockwiseState TWO = new BlockwiseState(1, true, false, false, false, true);
    public static final BlockwiseState THREE = new BlockwiseState(2, true, false, false, false, true);

    public BlockwiseState in8bits() {
        return new BlockwiseState(first, second, true, paged, limited, bf16);
    }

    /** The same in memory that CUDA moves between host and device. */
    public BlockwiseState inPages() {
        return new BlockwiseState(first, second, quantised, true, limited, bf16);
    }

    public BlockwiseState withLimit() {
        return new BlockwiseState(first, second, quantised, paged, true, bf16);
    }

    public BlockwiseState withoutBf16() {
        return new BlockwiseState(first, second, quantised, paged, limited, false);
    }
}
