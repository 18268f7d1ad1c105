package dev.headroom.executor.op.shape;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import org.jspecify.annotations.Nullable;

/** Operators that make tensors of known values (aten/src/ATen/native/TensorFactories.cpp, cuda/RangeFactories.cu). */
public final class CreationOperators {
    private CreationOperators() {}

    public static void register(Operators o) {
        o.add1("aten.arange", CreationOperators::arange);
        o.add1("aten.zeros", (e, a) -> filled(e, a.dtype("dtype"), 0, a.integers("size")));
        o.add1("aten.ones", (e, a) -> filled(e, a.dtype("dtype"), 1, a.integers("size")));
        o.add1("aten.empty", (e, a) -> e.empty(typeOr(a.dtype("dtype"), DType.FLOAT32), a.integers("size")));
        o.add1("aten.full", (e, a) -> {
            DType type = typeOr(a.dtype("dtype"), numberType(a, "fill_value"));
            return filled(e, type, a.real("fill_value", 0), a.integers("size"));
        });
        o.add1("aten.scalar_tensor", (e, a) -> filled(e, a.dtype("dtype"), a.real("s", 0)));
        o.add1("aten.new_zeros", (e, a) -> filled(e, alike(a), 0, a.integers("size")));
        o.add1("aten.new_ones", (e, a) -> filled(e, alike(a), 1, a.integers("size")));
        o.add1("aten.new_empty", (e, a) -> e.empty(alike(a), a.integers("size")));
        o.add1("aten.new_full", (e, a) -> filled(e, alike(a), a.real("fill_value", 0), a.integers("size")));
        o.add1("aten.zeros_like", (e, a) -> filled(e, like(e, a), 0));
        o.add1("aten.ones_like", (e, a) -> filled(e, like(e, a), 1));
        o.add1("aten.full_like", (e, a) -> filled(e, like(e, a), a.real("fill_value", 0)));
        o.add1("aten.empty_like", CreationOperators::like);
    }

    private static DType typeOr(@Nullable DType given, DType otherwise) {
        return given == null ? otherwise : given;
    }

    private static DType alike(Arguments a) {
        return typeOr(a.dtype("dtype"), a.tensor("self").dtype());
    }

    private static Tensor like(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        MemoryFormat format = a.format("memory_format");
        long[] strides = Copies.strides(t, format == null ? MemoryFormat.PRESERVE : format);
        return e.emptyStrided(alike(a), t.sizes(), strides);
    }

    private static DType numberType(Arguments a, String name) {
        if (a.isFlag(name)) {
            return DType.BOOL;
        }
        return a.isInteger(name) ? DType.INT64 : DType.FLOAT32;
    }

    private static Tensor filled(Eager e, @Nullable DType type, double value, long... sizes) {
        return filled(e, e.empty(typeOr(type, DType.FLOAT32), sizes), value);
    }

    private static Tensor filled(Eager e, Tensor t, double value) {
        if (t.elements() > 0) {
            Elementwise.fill(e, t, value);
        }
        return t;
    }

    /** {@code arange}: whole numbers when its bounds are. */
    private static Tensor arange(Eager e, Arguments a) {
        boolean whole = (!a.has("start") || a.isInteger("start"))
                && (!a.has("end") || a.isInteger("end"))
                && (!a.has("step") || a.isInteger("step"));
        double start = a.real("start", 0);
        double step = a.real("step", 1);
        long n = (long) Math.ceil((a.real("end", 0) - start) / step);
        Tensor out = e.empty(typeOr(a.dtype("dtype"), whole ? DType.INT64 : DType.FLOAT32), Math.max(0, n));
        if (Layout.elements(out.sizes()) > 0) {
            e.backend().indexing().range(out, start, step);
        }
        return out;
    }
}
