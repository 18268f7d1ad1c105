package dev.headroom.estimator.op.elementwise;

import static dev.headroom.estimator.op.core.Unary.Keep.RESULT;
import static dev.headroom.estimator.op.core.Unary.Keep.SELF;

import dev.headroom.estimator.op.core.Binary;
import dev.headroom.estimator.op.core.Binary.Term;
import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;

/** Special functions (torch.special; tools/autograd/derivatives.yaml) and what else is a formula of one tensor. */
public final class SpecialRules {
    /** A gradient from the result's gradient, the operand and the result. */
    private interface Both {
        Tensor of(Formula f, Tensor grad, Tensor self, Tensor result);
    }

    private SpecialRules() {}

    public static void register(Registry r) {
        one(r, "special_entr", "SpecialEntrBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(f.op(x)))));
        one(r, "special_ndtri", "SpecialNdtriBackward0", RESULT, (f, g, y) -> f.op(f.op(f.op(f.op(f.op(y)))), g));
        one(r, "polygamma", "PolygammaBackward0", SELF, Unary.THROUGH_ONE);
        one(r, "special_polygamma", "PolygammaBackward0", SELF, Unary.THROUGH_ONE);
        both(r, "special_i0e", (f, g, x, y) -> {
            Tensor signed = f.op(f.op(x), y);
            return f.op(g, f.op(f.op(x), signed));
        });
        both(r, "special_i1", (f, g, x, y) -> bessel(f, g, x, y, false));
        both(r, "special_i1e", (f, g, x, y) -> bessel(f, g, x, y, true));
        both(r, "special_erfcx", (f, g, x, y) -> f.op(f.op(f.op(f.op(x), y)), g));
        both(r, "special_log_ndtr", (f, g, x, y) -> {
            Tensor sum = f.op(y, f.op(f.op(x)));
            return f.op(f.op(f.op(f.op(sum))), g);
        });
        one(r, "sinc", "SincBackward0", SELF, SpecialRules::sincBackward);
        r.single("aten.special_ndtr", c -> {
            Body b = new Body(c.runtime(), r);
            Tensor scaled = b.let(b.call("mul.Scalar", c.tensor("self"), 0.7));
            return b.give(b.call("mul.Scalar", b.call("add.Scalar", b.call("erf", scaled), 1), 0.5));
        });
        Binary xlog1py = new Binary(
                "SpecialXlog1PyBackward0",
                new Term("so", (f, g, s, o, y) -> {
                    Tensor value = f.op(g, o);
                    Tensor low = f.test(o);
                    return f.maskedFill(value, f.op(f.test(s), low));
                }),
                new Term("so", (f, g, s, o, y) -> {
                    Tensor more = f.op(o);
                    return f.op(f.op(g, s), more);
                }));
        r.single("aten.special_xlog1py", c -> {
            Tensor a = c.tensor("self");
            Tensor b = c.tensor("other");
            return xlog1py.apply(c.runtime(), a, b, Strided.floating(Strided.promote(a, b)), false);
        });
        r.single("aten.mvlgamma", SpecialRules::multivariate);
        r.single("aten.special_multigammaln", SpecialRules::multivariate);
        one(r, "angle", "AngleBackward0", SELF, (f, g, x) -> f.zerosLike(x));
        for (String name : new String[] {"resolve_conj", "resolve_neg", "conj", "_conj"}) {
            r.single("aten." + name, SpecialRules::unchanged);
        }
        r.single("aten.conj_physical", SpecialRules::unchanged);
        r.single("aten.polar", SpecialRules::polar);
    }

    private static Tensor unchanged(Call c) {
        if (c.tensor("self").dtype().isComplex()) {
            throw new NoRule("conjugated numbers");
        }
        return c.tensor("self");
    }

    private static void one(Registry r, String name, String node, Unary.Keep keep, Unary.Gradient gradient) {
        r.single("aten." + name, c -> {
            Tensor x = c.tensor("self");
            if (x.dtype().isComplex()) {
                throw new NoRule(name + " of complex numbers");
            }
            return Unary.apply(c.runtime(), node, x, keep, gradient, false, Strided.floating(x.dtype()));
        });
    }

    private static void both(Registry r, String name, Both gradient) {
        r.single("aten." + name, c -> {
            EagerRuntime rt = c.runtime();
            Tensor x = c.tensor("self");
            Recorder node = rt.record(name, x);
            Saved self = node.save(x);
            Tensor out = Strided.result(rt, Strided.floating(x.dtype()), x);
            Saved result = node.saveOutput(out);
            return node.gradient(0, g -> gradient.of(new Formula(rt), g, self.get(), result.get()))
                    .output(out);
        });
    }

    /** FunctionsManual.cpp, i1_backward and i1e_backward: small operands are replaced first, what they gave last. */
    private static Tensor bessel(Formula f, Tensor g, Tensor x, Tensor y, boolean scaled) {
        EagerRuntime rt = f.runtime();
        Tensor absolute = f.op(x);
        Tensor large = f.test(absolute);
        rt.free(absolute);
        Tensor least = rt.empty(x.dtype());
        Tensor safe = f.where(large, x, least);
        rt.free(least);
        Tensor gradient;
        try (Frame formula = rt.frame()) {
            Tensor inverse = f.op(safe);
            Tensor sum = scaled ? f.op(f.op(safe), inverse) : inverse;
            Tensor product = f.op(y, sum);
            gradient = formula.keep(f.op(f.op(safe), product));
        }
        rt.empty(x.dtype());
        return f.op(f.where(large, gradient), g);
    }

    /** FunctionsManual.cpp, sinc_backward. */
    private static Tensor sincBackward(Formula f, Tensor g, Tensor x) {
        EagerRuntime rt = f.runtime();
        Tensor angle = f.op(x);
        Tensor square = f.op(x, x);
        Tensor scaled = f.op(square);
        rt.free(square);
        Tensor out;
        try (Frame formula = rt.frame()) {
            Tensor sine = f.op(angle);
            Tensor cosine = f.op(angle, f.op(angle));
            Tensor ratio = f.op(f.op(cosine, sine), scaled);
            out = formula.keep(f.op(g, ratio));
        }
        rt.empty(x.dtype());
        return f.where(f.test(scaled), out);
    }

    private static Tensor multivariate(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("MvlgammaBackward0", x);
        Saved self = r.save(x);
        long p = c.integer("p");
        Tensor wide = spread(rt, x, p);
        Tensor out = rt.empty(wide.dtype(), x.sizes());
        rt.free(wide);
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor values = spread(rt, self.get(), p);
                    Tensor sum = rt.empty(values.dtype(), self.get().sizes());
                    return f.op(g, sum);
                })
                .output(out);
    }

    private static Tensor spread(EagerRuntime rt, Tensor x, long p) {
        DType type = Strided.floating(x.dtype());
        Tensor steps = rt.empty(type, p);
        Tensor out = rt.empty(type, Dimensions.with(x.sizes(), x.dim(), p));
        rt.free(steps);
        return out;
    }

    private static Tensor polar(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("abs");
        Tensor y = c.tensor("angle");
        DType type = x.dtype() == DType.FLOAT64 ? DType.COMPLEX128 : DType.COMPLEX64;
        Recorder r = rt.record("PolarBackward0", x, y);
        Tensor out = rt.empty(type, dev.headroom.model.graph.Shapes.broadcast(x.sizes(), y.sizes()));
        Saved result = r.saveOutput(out);
        return r.gradients(grads -> {
                    Tensor[] both = new Tensor[2];
                    for (int i = 0; i < 2 && grads[0] != null; i++) {
                        Tensor first = rt.emptyLike(result.get());
                        Tensor conjugate = rt.emptyLike(result.get());
                        Tensor product = rt.emptyLike(result.get());
                        rt.free(conjugate);
                        rt.free(first);
                        long[] strides = java.util.Arrays.stream(product.strides())
                                .map(s -> 2 * s)
                                .toArray();
                        both[i] = rt.reinterpret(product, x.dtype(), product.sizes(), strides, 0);
                        rt.free(product);
                    }
                    return both;
                })
                .output(out);
    }
}
