package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Operators that make tensors from nothing or in the likeness of another (ATen/native/TensorFactories.cpp). */
public final class CreationRules {
    private CreationRules() {}

    public static void register(Registry r) {
        for (String name : new String[] {"aten.zeros", "aten.ones", "aten.empty", "aten.rand", "aten.randn"}) {
            r.single(name, c -> make(c, c.integers("size"), DType.FLOAT32));
        }
        r.single("aten.full", c -> make(c, c.integers("size"), scalarType(c, "fill_value")));
        r.single("aten.scalar_tensor", c -> make(c, new long[0], DType.FLOAT32));
        r.single("aten.randint", c -> make(c, c.integers("size"), DType.INT64));
        r.single("aten.arange", CreationRules::arange);
        r.single("aten.linspace", c -> make(c, new long[] {c.integer("steps")}, DType.FLOAT32));
        r.single("aten.eye", c -> make(c, new long[] {c.integer("n"), c.integer("m", c.integer("n"))}, DType.FLOAT32));
        for (String name : new String[] {"aten.new_zeros", "aten.new_ones", "aten.new_empty", "aten.new_full"}) {
            r.single(name, c -> make(c, c.integers("size"), c.tensor("self").dtype()));
        }
        r.single("aten.bernoulli", c -> c.runtime().emptyLike(c.tensor("self")));
        for (String name : new String[] {
            "aten.zeros_like",
            "aten.ones_like",
            "aten.empty_like",
            "aten.full_like",
            "aten.rand_like",
            "aten.randn_like"
        }) {
            r.single(name, CreationRules::like);
        }
        for (String name : new String[] {
            "aten.uniform_",
            "aten.normal_",
            "aten.bernoulli_",
            "aten.exponential_",
            "aten.random_",
            "aten.geometric_",
            "aten.cauchy_",
            "aten.log_normal_"
        }) {
            r.single(name, c -> c.tensor("self"));
        }
    }

    private static DType scalarType(Call c, String name) {
        return c.isFloat(name) ? DType.FLOAT32 : DType.INT64;
    }

    private static Tensor make(Call c, long[] sizes, DType otherwise) {
        DType type = c.type("dtype", otherwise);
        return c.onHost("device")
                ? c.runtime().hostTensor(type, sizes)
                : c.runtime().empty(type, sizes);
    }

    private static Tensor arange(Call c) {
        double start = c.number("start", 0);
        double step = c.number("step", 1);
        double end = c.number("end", 0);
        boolean floats = c.isFloat("start") || c.isFloat("end") || c.isFloat("step");
        long n = Math.max(0, (long) Math.ceil((end - start) / step));
        return make(c, new long[] {n}, floats ? DType.FLOAT32 : DType.INT64);
    }

    private static Tensor like(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        DType type = c.type("dtype", t.dtype());
        if (c.onHost("device")) {
            return rt.hostTensor(type, t.sizes());
        }
        MemoryFormat format = c.format("memory_format", MemoryFormat.PRESERVE);
        return format == MemoryFormat.PRESERVE
                ? rt.emptyLike(t, type)
                : rt.emptyStrided(type, t.sizes(), Copies.strides(t, format));
    }
}
