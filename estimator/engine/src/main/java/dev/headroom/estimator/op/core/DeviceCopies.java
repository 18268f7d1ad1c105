package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;

/** Copies from one GPU of the process to another. */
public final class DeviceCopies {
    private DeviceCopies() {}

    /** {@code t.to(device)}, in the same layout: the tensor itself where it is there already. */
    public static Tensor to(EagerRuntime rt, Tensor t, int device) {
        int source = rt.devices().of(t);
        if (source == device || !t.onDevice()) {
            return t;
        }
        int before = rt.devices().use(device);
        Recorder r = t.dtype().isFloatingPoint() || t.dtype().isComplex()
                ? rt.record("ToCopyBackward0", t)
                : rt.record("ToCopyBackward0");
        Tensor out = rt.emptyStrided(t.dtype(), t.sizes(), Shapes.preserved(t.sizes(), t.strides()));
        r.gradient(0, g -> to(rt, g, source)).output(out);
        rt.devices().use(before);
        return out;
    }
}
