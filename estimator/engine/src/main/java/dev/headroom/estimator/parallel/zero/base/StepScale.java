package dev.headroom.estimator.parallel.zero.base;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/** The norm of all gradients: kept until the next step, and made into a factor where gradients are clipped. */
public final class StepScale {
    private final EagerRuntime runtime;
    private final boolean clips;
    private final DeviceMath math;

    /** The unscaled norm of the last step, which the engine keeps. */
    private @Nullable Tensor kept;

    private @Nullable Tensor before;

    public StepScale(EagerRuntime runtime, boolean clips) {
        this.runtime = runtime;
        this.clips = clips;
        this.math = new DeviceMath(runtime);
    }

    /** {@code self._global_grad_norm = norm / scale}. */
    public void keep(Tensor norm) {
        Tensor unscaled = runtime.hold(math.function(norm));
        runtime.free(unscaled);
        before = kept;
        kept = unscaled;
    }

    /** unscale_and_clip_grads: what a factor for all gradients takes; {@code null} for a norm of the host's. */
    public void apply(@Nullable Tensor norm) {
        if (!clips || norm == null) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            Tensor unscaled = math.function(norm);
            Tensor more = math.replaced(unscaled);
            Tensor ratio = math.replaced(more);
            Tensor clip = math.replaced(ratio);
            Tensor combined = math.function(clip);
            math.replaced(math.function(combined)); // 1 / combined: a reciprocal, times 1
        }
    }

    /** The step is over: the engine takes over its norm. */
    public void stepped() {
        runtime.release(before);
        before = null;
    }
}
