package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Operators that make tensors from nothing or in the likeness of another (ATen/native/TensorFactories.cpp). */
final class Factories {
    private Factories() {}

    static DType scalarType(Call c, String name) {
        if (c.isFlag(name)) {
            return DType.BOOL;
        }
        return c.isFloat(name) ? DType.FLOAT32 : DType.INT64;
    }

    static Tensor make(Call c, long[] sizes, DType otherwise) {
        return c.empty(c.type("dtype", otherwise), sizes);
    }

    static Tensor arange(Call c) {
        double start = c.number("start", 0);
        double step = c.number("step", 1);
        double end = c.number("end", 0);
        boolean floats = c.isFloat("start") || c.isFloat("end") || c.isFloat("step");
        long n = Math.max(0, (long) Math.ceil((end - start) / step));
        return make(c, new long[] {n}, floats ? DType.FLOAT32 : DType.INT64);
    }

    static Tensor like(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        DType type = c.type("dtype", t.dtype());
        if (c.node().goesToHost()) {
            return rt.hostTensor(type, t.sizes());
        }
        MemoryFormat format = c.format("memory_format", MemoryFormat.PRESERVE);
        return format == MemoryFormat.PRESERVE
                ? rt.emptyLike(t, type)
                : rt.emptyStrided(type, t.sizes(), Copies.strides(t, format));
    }
}
