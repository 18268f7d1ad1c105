package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Puts parts of gradients into the flat buffer of all parts: on the device without a trace, in the host's memory by way
 * of copies on the device, of which norms remain until the step (deepspeed/runtime/zero/stage3.py, partition_grads).
 */
final class GradientParts implements PartSink {
    /** Elements of which a norm is taken at once (_constant_buffered_norm2). */
    private static final long NORM_ELEMENTS = 250_000_000;

    private final EagerRuntime runtime;
    private final boolean onHost;
    private final DeviceMath math;
    private final Map<ShardedParameter, Tensor> norms = new LinkedHashMap<>();
    private boolean adds;
    private boolean lastPass;

    GradientParts(EagerRuntime runtime, boolean onHost) {
        this.runtime = runtime;
        this.onHost = onHost;
        this.math = new DeviceMath(runtime);
    }

    /**
     * A backward pass begins.
     *
     * @param laterPass of a step: its gradients are added to those that are there
     * @param lastOfStep whether the step follows
     */
    void begin(boolean laterPass, boolean lastOfStep) {
        adds = laterPass;
        lastPass = lastOfStep;
    }

    /** Norms of some parameters' gradients, which are there until the step. */
    List<Tensor> norms(List<ShardedParameter> parameters) {
        return parameters.stream().map(norms::get).filter(norm -> norm != null).toList();
    }

    /** reset_cpu_buffers. */
    void clear() {
        norms.values().forEach(runtime::release);
        norms.clear();
    }

    @Override
    public void take(List<ShardedParameter> parameters, List<Tensor> parts) {
        Tensor added = null;
        try (Frame frame = runtime.frame()) {
            for (int i = 0; i < parameters.size(); i++) {
                ShardedParameter p = parameters.get(i);
                if (p.ownNumel() > 0) {
                    if (onHost) {
                        Tensor copy = runtime.emptyLike(parts.get(i)); // what the host has, or is given
                        runtime.free(added);
                        toHost(p, copy);
                        added = adds ? copy : null;
                        if (!adds) {
                            runtime.free(copy);
                        }
                    }
                    runtime.streams()
                            .recordUse(
                                    Objects.requireNonNull(p.tensor().grad()),
                                    runtime.streams().current());
                }
                runtime.setGrad(p.tensor(), null);
            }
        }
    }

    private void toHost(ShardedParameter p, Tensor part) {
        if (!lastPass) {
            return;
        }
        runtime.release(norms.put(p, runtime.hold(norm(part))));
        try (Frame frame = runtime.frame()) {
            Copies.to(runtime, part, DType.FLOAT32);
            runtime.streams().hostWaits();
        }
    }

    private Tensor norm(Tensor t) {
        try (Frame frame = runtime.frame()) {
            Tensor sum = null;
            for (long at = 0; at < t.numel(); at += NORM_ELEMENTS) {
                Tensor square = math.replaced(math.norm(math.narrow(t, at, Math.min(NORM_ELEMENTS, t.numel() - at))));
                if (sum == null) {
                    sum = square;
                } else {
                    runtime.free(square); // added in place
                }
            }
            return frame.keep(math.function(Objects.requireNonNull(sum)));
        }
    }
}
