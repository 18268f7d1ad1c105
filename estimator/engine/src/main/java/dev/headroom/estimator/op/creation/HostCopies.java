package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Copies between host and device: always another tensor, of the wanted type (ATen/native/TensorConversions.cpp). */
final class HostCopies {
    private HostCopies() {}

    /** Whether a conversion leads to where its tensor is not. */
    static boolean moves(Call c, Tensor t) {
        if (c.isTensor("other")) {
            return c.tensor("other").onDevice() != t.onDevice();
        }
        return t.onDevice() ? c.node().goesToHost() : c.node().goesToDevice();
    }

    /** {@code t.to(device, type)}, of a tensor that is not there. */
    static Tensor move(EagerRuntime rt, Tensor t, DType type, MemoryFormat format) {
        Recorder r = type.isFloatingPoint() || type.isComplex()
                ? rt.record("ToCopyBackward0", t)
                : rt.record("ToCopyBackward0");
        boolean before = rt.devices().computeOnHost(t.onDevice());
        Tensor out = rt.emptyStrided(type, t.sizes(), Copies.strides(t, format));
        rt.devices().computeOnHost(before);
        DType from = t.dtype();
        return r.gradient(0, g -> move(rt, g, from, MemoryFormat.PRESERVE)).output(out);
    }
}
