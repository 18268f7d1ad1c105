package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Operators that make tensors; {@link Factories} plays them. */
public final class CreationRules {
    private CreationRules() {}

    public static void register(Registry r) {
        for (String name : new String[] {"aten.zeros", "aten.ones", "aten.empty", "aten.rand", "aten.randn"}) {
            r.single(name, c -> Factories.make(c, c.integers("size"), DType.FLOAT32));
        }
        r.single("aten.full", c -> Factories.make(c, c.integers("size"), Factories.scalarType(c, "fill_value")));
        r.single("aten.scalar_tensor", c -> Factories.make(c, new long[0], DType.FLOAT32));
        r.single("aten.randint", c -> Factories.make(c, c.integers("size"), DType.INT64));
        r.single("aten.arange", Factories::arange);
        for (String name : new String[] {"aten.linspace", "aten.logspace"}) {
            r.single(name, c -> Factories.make(c, new long[] {c.integer("steps")}, DType.FLOAT32));
        }
        r.single("aten.fft_fftfreq", c -> Factories.make(c, new long[] {c.integer("n")}, DType.FLOAT32));
        r.single("aten.fft_rfftfreq", c -> Factories.make(c, new long[] {c.integer("n") / 2 + 1}, DType.FLOAT32));
        Windows.register(r);
        Normals.register(r);
        r.single("aten.randperm", Permutations::permutation);
        r.single(
                "aten.eye",
                c -> Factories.make(c, new long[] {c.integer("n"), c.integer("m", c.integer("n"))}, DType.FLOAT32));
        for (String name : new String[] {"aten.new_zeros", "aten.new_ones", "aten.new_empty", "aten.new_full"}) {
            r.single(
                    name,
                    c -> Factories.make(c, c.integers("size"), c.tensor("self").dtype()));
        }
        r.single("aten.bernoulli", c -> {
            Tensor x = c.tensor("self");
            Recorder node = c.runtime().record("BernoulliBackward0", x);
            Tensor out = c.runtime().emptyLike(x);
            return node.gradient(0, g -> c.runtime().emptyLike(g)).output(out);
        });
        for (String name : new String[] {
            "aten.zeros_like",
            "aten.ones_like",
            "aten.empty_like",
            "aten.full_like",
            "aten.rand_like",
            "aten.randn_like",
            "aten.randint_like"
        }) {
            r.single(name, Factories::like);
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
}
