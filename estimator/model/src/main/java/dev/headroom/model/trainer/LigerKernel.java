package dev.headroom.model.trainer;

import java.util.List;

/** What Liger can put in the place of a model's own operators: the keys of {@code liger_kernel_config}. */
public enum LigerKernel {
    ROPE,
    RMS_NORM,
    SWIGLU,
    CROSS_ENTROPY,
    FUSED_LINEAR_CROSS_ENTROPY;

    /** Those that are on by themselves (liger_kernel 0.8.5, transformers/monkey_patch.py). */
    public static final List<LigerKernel> USUAL = List.of(ROPE, RMS_NORM, SWIGLU, FUSED_LINEAR_CROSS_ENTROPY);
}
