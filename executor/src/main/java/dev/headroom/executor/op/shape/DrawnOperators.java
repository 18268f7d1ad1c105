package dev.headroom.executor.op.shape;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Tensors of random numbers, of a line of numbers, and the unit matrix (aten/src/ATen/native/TensorFactories.cpp). */
public final class DrawnOperators {
    private static final Formula BELOW = Formula.binary("below", "x0 < x1", (u, p) -> u < p ? 1 : 0);
    private static final Formula EXPONENTIAL =
            new Formula("exponential", "y0 = -log1p(-x0) / s0;", (x, s, y) -> y[0] = -Math.log1p(-x[0]) / s[0]);
    private static final Formula CAUCHY = new Formula(
            "cauchy",
            "y0 = s0 + s1 * tan(3.14159265358979323846 * (x0 - 0.5));",
            (x, s, y) -> y[0] = s[0] + s[1] * Math.tan(Math.PI * (x[0] - 0.5)));
    private static final Formula GEOMETRIC = new Formula(
            "geometric",
            "y0 = ceil(log1p(-x0) / log(1 - s0)); y0 = y0 < 1 ? 1 : y0;",
            (x, s, y) -> y[0] = Math.max(1, Math.ceil(Math.log1p(-x[0]) / Math.log(1 - s[0]))));
    private static final Formula COUNT = new Formula(
            "poisson",
            "real p = exp(-x1), sum = p; y0 = 0; while (x0 > sum && y0 < 1000) { y0 += 1; p *= x1 / y0; sum += p; }",
            (x, s, y) -> {
                double p = Math.exp(-x[1]);
                double sum = p;
                y[0] = 0;
                while (x[0] > sum && y[0] < 1000) {
                    y[0]++;
                    p *= x[1] / y[0];
                    sum += p;
                }
            });
    private static final Formula WHOLE = new Formula("whole", "y0 = floor(x0);", (x, s, y) -> y[0] = Math.floor(x[0]));

    private DrawnOperators() {}

    private interface Drawing {
        void into(Eager e, Arguments a, Tensor t);
    }

    /** A tensor whose elements are drawn anew: nothing of what was there has a gradient. */
    private static void drawn(Operators o, String name, Drawing drawing) {
        o.add1("aten." + name, (e, a) -> {
            Tensor t = a.tensor("self");
            var r = e.record("DrawnBackward0", t);
            drawing.into(e, a, t);
            r.backward(g -> new Tensor[] {Elementwise.zerosLike(e, g[0])});
            return r.changed(t);
        });
        if (name.equals("normal_")) {
            return; // normal draws around given means
        }
        // The form that leaves its operand alone, as functionalised graphs have it.
        o.add1("aten." + name.substring(0, name.length() - 1), (e, a) -> {
            Tensor x = a.tensor("self");
            var r = e.record("DrawnBackward0", x);
            Tensor out = e.emptyLike(x);
            drawing.into(e, a, out);
            return r.backward(g -> new Tensor[] {Elementwise.zerosLike(e, g[0])})
                    .output(out);
        });
    }

    /** Uniform numbers, changed where they lie. */
    private static void transformed(Eager e, Tensor t, Formula formula, double... numbers) {
        e.backend().random().uniform(t, 0, 1, e.randomness().next());
        Elementwise.into(e, formula, numbers, t, t);
    }

    /** Whole numbers from one on, and less than another. */
    private static void whole(Eager e, Tensor t, double from, double to) {
        e.backend().random().uniform(t, from, to, e.randomness().next());
        Elementwise.into(e, WHOLE, t, t);
    }

    public static void register(Operators o) {
        o.add1("aten.rand", (e, a) -> uniform(e, e.empty(a.dtypeOr(DType.FLOAT32), a.integers("size"))));
        o.add1("aten.rand_like", (e, a) -> uniform(e, like(e, a)));
        o.add1("aten.randn", (e, a) -> normal(e, e.empty(a.dtypeOr(DType.FLOAT32), a.integers("size"))));
        o.add1("aten.randn_like", (e, a) -> normal(e, like(e, a)));
        drawn(o, "uniform_", (e, a, t) -> e.backend()
                .random()
                .uniform(t, a.real("from", 0), a.real("to", 1), e.randomness().next()));
        // How many terms of the distribution a uniform number is beyond.
        o.add1("aten.poisson", (e, a) -> uniform(e, "PoissonBackward0", COUNT, a.tensor("self")));
        o.add1("aten.normal_functional", (e, a) -> {
            Tensor out = e.emptyLike(a.tensor("self"));
            asTold(e, a, out);
            return out;
        });
        drawn(o, "normal_", DrawnOperators::asTold);
        drawn(o, "log_normal_", (e, a, t) -> {
            e.backend()
                    .random()
                    .normal(
                            t,
                            a.real("mean", 1),
                            a.real("std", 2),
                            e.randomness().next());
            Elementwise.into(e, Formulas.EXP, t, t);
        });
        drawn(o, "exponential_", (e, a, t) -> transformed(e, t, EXPONENTIAL, a.real("lambd", 1)));
        drawn(o, "cauchy_", (e, a, t) -> transformed(e, t, CAUCHY, a.real("median", 0), a.real("sigma", 1)));
        drawn(o, "geometric_", (e, a, t) -> transformed(e, t, GEOMETRIC, a.real("p", 0.5)));
        drawn(o, "random_", (e, a, t) -> whole(e, t, a.real("from", 0), a.real("to", 1 << 24)));
        o.add1("aten.randint", (e, a) -> {
            Tensor t = e.empty(a.dtypeOr(DType.INT64), a.integers("size"));
            whole(e, t, a.real("low", 0), a.real("high", 1));
            return t;
        });
        o.add1("aten.randint_like", (e, a) -> {
            Tensor t = like(e, a);
            whole(e, t, a.real("low", 0), a.real("high", 1));
            return t;
        });
        o.add1("aten.bernoulli", (e, a) -> uniform(e, "BernoulliBackward0", BELOW, a.tensor("self")));
        o.add1("aten.eye", DrawnOperators::eye);
    }

    /** Of a uniform number for each element, and the element. */
    private static Tensor uniform(Eager e, String node, Formula formula, Tensor x) {
        var r = e.record(node, x);
        Tensor out = e.emptyLike(x);
        e.backend().random().uniform(out, 0, 1, e.randomness().next());
        Elementwise.into(e, formula, out, out, x);
        return r.backward(g -> new Tensor[] {Elementwise.zerosLike(e, g[0])}).output(out);
    }

    private static Tensor like(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        MemoryFormat format = a.format("memory_format");
        long[] strides = Copies.strides(t, format == null ? MemoryFormat.PRESERVE : format);
        return e.emptyStrided(a.dtypeOr(t.dtype()), t.sizes(), strides);
    }

    private static Tensor uniform(Eager e, Tensor t) {
        e.backend().random().uniform(t, 0, 1, e.randomness().next());
        return t;
    }

    /** Draws normal numbers of the mean and deviation that a call names as numbers. */
    public static void asTold(Eager e, Arguments a, Tensor t) {
        e.backend()
                .random()
                .normal(t, a.real("mean", 0), a.real("std", 1), e.randomness().next());
    }

    private static Tensor normal(Eager e, Tensor t) {
        e.backend().random().normal(t, 0, 1, e.randomness().next());
        return t;
    }

    private static Tensor eye(Eager e, Arguments a) {
        long n = a.integer("n", 0);
        long m = a.integer("m", n);
        Tensor out = e.empty(a.dtypeOr(DType.FLOAT32), n, m);
        Elementwise.fill(e, out, 0);
        Elementwise.fill(e, e.alias(out, new long[] {Math.min(n, m)}, new long[] {m + 1}, 0), 1);
        return out;
    }
}
