package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.amp.GradScaler}, which autocast to float16 brings: scalars on the GPU that live from the first scaled
 * loss on, and a few more around each optimizer step (torch/amp/grad_scaler.py).
 */
final class GradScaler implements LoopHook {
    private final boolean stepUnscales;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private @Nullable Tensor scale;
    private @Nullable Tensor growthTracker;

    /** found_inf of gradients that were unscaled before the step; {@code null} where the step unscales them. */
    private @Nullable Tensor unscaled;

    /** @param stepUnscales whether the optimizer's kernels take the scale themselves, as fused ones do */
    GradScaler(boolean stepUnscales) {
        this.stepUnscales = stepUnscales;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
    }

    @Override
    public void describe(Beginning to) {
        to.part(scale);
        to.part(growthTracker);
        to.part(unscaled);
    }

    /** {@code scaler.scale(loss)}: the scale and the growth tracker are made when the first loss is scaled. */
    @Override
    public Tensor root(Tensor loss) {
        if (scale == null) {
            scale = held(DType.FLOAT32);
            growthTracker = held(DType.INT32);
        }
        return Losses.scale(runtime, loss, scale);
    }

    private Tensor held(DType type) {
        return runtime.hold(runtime.emptyStrided(type, new long[0], new long[0], Category.OPTIMIZER_STATE));
    }

    private Tensor scalar(DType type) {
        return runtime.empty(type);
    }

    /** {@code scaler.unscale_(optimizer)} comes first. */
    @Override
    public void clip(Runnable own) {
        try (Frame locals = runtime.frame()) {
            unscaled = runtime.hold(unscale());
        }
        own.run();
    }

    /** {@code scaler.step(optimizer)} and {@code scaler.update()}. */
    @Override
    public void step(Runnable own) {
        Frame untilUpdate = runtime.frame();
        try {
            if (unscaled != null) {
                stepUnscaled(own);
                return;
            }
            Tensor foundInf = stepUnscales ? checkInf() : unscale();
            if (stepUnscales) {
                // sum() starts from the number 0: a fresh tensor, as the scale times 1 is.
                Tensor sum = scalar(DType.FLOAT32);
                Tensor gradScale = scalar(DType.FLOAT32);
                own.run();
                runtime.free(gradScale);
                runtime.free(sum);
            } else {
                own.run();
            }
            runtime.free(foundInf);
        } finally {
            untilUpdate.close();
        }
    }

    private void stepUnscaled(Runnable own) {
        if (stepUnscales) {
            Tensor sum = scalar(DType.FLOAT32);
            own.run();
            runtime.free(sum);
        } else {
            own.run();
        }
        runtime.release(unscaled);
        unscaled = null;
    }

    /** unscale_: the inverse is taken in float64. */
    private Tensor unscale() {
        try (Frame locals = runtime.frame()) {
            Tensor wide = scalar(DType.FLOAT64);
            Tensor inverse = scalar(DType.FLOAT64);
            runtime.free(wide);
            Tensor inverseScale = scalar(DType.FLOAT32);
            runtime.free(inverse);
            Tensor foundInf = scalar(DType.FLOAT32);
            Tensor kept = unscaleGradients(false);
            runtime.free(inverseScale);
            runtime.free(foundInf);
            return locals.keep(kept);
        }
    }

    /** _check_inf_per_device. */
    private Tensor checkInf() {
        try (Frame locals = runtime.frame()) {
            scalar(DType.FLOAT32); // an inverse scale of one
            scalar(DType.FLOAT32); // found_inf
            return locals.keep(unscaleGradients(true));
        }
    }

    /** _unscale_grads_: copies of both scalars for the device, of which that of found_inf is kept. */
    private Tensor unscaleGradients(boolean half) {
        if (!half
                && loop.model().parameters().stream()
                        .anyMatch(p -> p.grad() != null && p.grad().dtype() == DType.FLOAT16)) {
            throw new UserInputException("PyTorch's GradScaler refuses to unscale float16 gradients:"
                    + " use `amp=fp16` with float32 parameters, or `dtype=fp16` without `amp`");
        }
        Tensor foundInf = scalar(DType.FLOAT32);
        Tensor inverseScale = scalar(DType.FLOAT32);
        loop.hooks().lookedForInfinities(foundInf);
        runtime.free(inverseScale);
        return foundInf;
    }
}
