package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.loss.Losses;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
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

    /** found_inf of gradients that were unscaled since the last update; of no optimizer: of the one that steps next. */
    private final Map<Optional<Optimizer>, Tensor> foundInf = new LinkedHashMap<>();

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
        to.number(foundInf.size());
        foundInf.values().forEach(to::part);
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

    /** {@code scaler.unscale_(optimizer)} comes first; the optimizer is the one that steps next. */
    @Override
    public void clip(Runnable own) {
        unscale(Optional.empty());
        own.run();
    }

    /** {@code unscale_} refuses a second call before the update; here it changes nothing. */
    @Override
    public void unscale(Optimizer of) {
        if (!foundInf.containsKey(Optional.of(of))) {
            unscale(Optional.of(of));
        }
    }

    private void unscale(Optional<Optimizer> of) {
        try (Frame locals = runtime.frame()) {
            foundInf.put(of, runtime.hold(unscale()));
        }
    }

    /** {@code scaler.step(optimizer)}, and {@code scaler.update()} unless the loop says when. */
    @Override
    public void step(Runnable own, Optimizer which) {
        boolean takes = which.takesScale().orElse(stepUnscales);
        boolean unscaled = foundInf.containsKey(Optional.of(which)) || foundInf.containsKey(Optional.empty());
        if (!unscaled) {
            try (Frame locals = runtime.frame()) {
                foundInf.put(Optional.of(which), runtime.hold(takes ? checkInf() : unscale()));
            }
        }
        try (Frame locals = runtime.frame()) {
            // sum() starts from the number 0: a fresh tensor, as the scale times 1 is.
            Tensor sum = takes ? scalar(DType.FLOAT32) : null;
            Tensor gradScale = takes && !unscaled ? scalar(DType.FLOAT32) : null;
            own.run();
            if (gradScale != null) {
                runtime.free(gradScale);
            }
            if (sum != null) {
                runtime.free(sum);
            }
        }
        LibraryLoop library = loop.hooks().library();
        if (library == null || !library.updatesScale()) {
            updateScale();
        }
    }

    /** What was found of each optimizer is kept until then, in {@code _per_optimizer_states}. */
    @Override
    public void updateScale() {
        foundInf.values().forEach(runtime::release);
        foundInf.clear();
    }

    /** unscale_: the inverse is taken in float64. */
    private Tensor unscale() {
        try (Frame locals = runtime.frame()) {
            Tensor wide = scalar(DType.FLOAT64);
            Tensor inverse = scalar(DType.FLOAT64);
            runtime.free(wide);
            Tensor inverseScale = scalar(DType.FLOAT32);
            runtime.free(inverse);
            Tensor found = scalar(DType.FLOAT32);
            Tensor kept = unscaleGradients(false);
            runtime.free(inverseScale);
            runtime.free(found);
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
        Tensor found = scalar(DType.FLOAT32);
        Tensor inverseScale = scalar(DType.FLOAT32);
        loop.hooks().lookedForInfinities(found);
        runtime.free(inverseScale);
        return found;
    }
}
