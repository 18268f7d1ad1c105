package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * What a step of the modelled loop does.
 *
 * @param loss the loss
 * @param accumulate forward and backward passes a step
 * @param steps training steps
 * @param zeroGradKeep {@code zero_grad(set_to_none=False)}; in versions before 2.0 it is the default, and so always
 * @param zeroGradBeforeBackward gradients are dropped between the loss and the backward pass, so that they live through
 *     the next forward pass
 * @param newBatches each step brings a batch to the device, and the one before lives until then; else one batch serves
 *     all steps
 * @param inputGrad the first floating-point input requires a gradient
 * @param dropOutputs outputs and loss are deleted after each backward pass
 * @param clipGradNorm what the norm of all gradients is clipped to before each optimizer step; {@code null} for no
 *     clipping
 * @param clipGradValue what each element of the gradients is clipped to, in place; {@code null} for no clipping
 * @param inference {@code eval()} under {@code no_grad}: forward passes only
 */
@Withers
public record Loop(
        LossKind loss,
        int accumulate,
        int steps,
        boolean zeroGradKeep,
        boolean zeroGradBeforeBackward,
        boolean newBatches,
        boolean inputGrad,
        boolean dropOutputs,
        @Nullable Double clipGradNorm,
        @Nullable Double clipGradValue,
        boolean inference)
        implements LoopWithers.With {
    static final Loop DEFAULTS = new Loop(LossKind.AUTO, 1, 3, false, false, false, false, false, null, null, false);

    /** Whether gradients are clipped, in either way. */
    public boolean clips() {
        return clipGradNorm != null || clipGradValue != null;
    }

    /**
     * Whether a pass is the last of its step.
     *
     * @param micro its number; {@code null} where a step has one
     */
    public boolean isLastPass(@Nullable Integer micro) {
        return accumulate == 1 || micro == null || micro == accumulate - 1;
    }
}
