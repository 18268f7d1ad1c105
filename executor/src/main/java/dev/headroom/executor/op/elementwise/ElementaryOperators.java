package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.complex.ComplexOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.function.UnaryOperator;

/**
 * Elementary functions whose gradient takes several kernels (derivatives.yaml, FunctionsManual.cpp), and {@code all}.
 */
public final class ElementaryOperators {
    private static final Formula POWER =
            new Formula("pow", "y0 = pow(x0, s0);", (x, s, y) -> y[0] = Math.pow(x[0], s[0]));

    private ElementaryOperators() {}

    public static void register(Operators o) {
        o.add1("aten.rsqrt", (e, a) -> rsqrt(e, a.tensor("self")));
        o.add1(
                "aten.sin",
                (e, a) -> function(e, "SinBackward0", Formulas.SIN, a.tensor("self"), x -> of(e, Formulas.COS, x)));
        o.add1(
                "aten.cos",
                (e, a) -> function(e, "CosBackward0", Formulas.COS, a.tensor("self"), x -> {
                    Tensor sine = of(e, Formulas.SIN, x);
                    return of(e, Formulas.NEGATE, sine);
                }));
        o.add1(
                "aten.abs",
                (e, a) -> a.tensor("self").dtype().isComplex()
                        ? ComplexOperators.length(e, a.tensor("self"))
                        : function(e, "AbsBackward0", Formulas.ABS, a.tensor("self"), x -> of(e, Formulas.SIGN, x)));
        o.add1("aten.all", (e, a) -> reduced(e, Kind.ALL, a));
        o.add1("aten.any", (e, a) -> reduced(e, Kind.ANY, a));
    }

    private static Tensor of(Eager e, Formula formula, Tensor x) {
        return Elementwise.map(e, formula, Promotion.floating(x.dtype()), new double[0], x);
    }

    /** A function whose gradient is multiplied with a factor that is computed from the operand. */
    @SuppressWarnings("ReferenceEquality") // formulas are constants
    private static Tensor function(Eager e, String node, Formula formula, Tensor x, UnaryOperator<Tensor> factor) {
        Recorder r = e.record(node, x);
        SavedTensor saved = r.save(x);
        boolean keepsType = formula == Formulas.ABS;
        Tensor out =
                Elementwise.map(e, formula, keepsType ? x.dtype() : Promotion.floating(x.dtype()), new double[0], x);
        return r.backward(g ->
                        new Tensor[] {Elementwise.binary(e, Elementwise.MULTIPLY, g[0], factor.apply(saved.get()))})
                .output(out);
    }

    /** A power whose exponent is a number. */
    public static Tensor power(Eager e, Tensor x, double exponent, boolean whole) {
        Recorder r = e.record("PowBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor out = raised(e, x, exponent, Promotion.withNumber(x, whole));
        return recorded(e, r, saved, exponent).output(out);
    }

    /** The same in place. */
    public static Tensor powerInPlace(Eager e, Tensor x, double exponent) {
        Recorder r = e.record("PowBackward0", x);
        Tensor copy = ArithmeticOperators.copied(e, r.records(), x);
        SavedTensor saved = r.save(copy);
        e.freeUnless(copy, x);
        Elementwise.into(e, POWER, new double[] {exponent}, x, x);
        recorded(e, r, saved, exponent);
        return r.changed(x);
    }

    private static Recorder recorded(Eager e, Recorder r, SavedTensor saved, double exponent) {
        return r.backward(g -> {
            if (exponent == 0) {
                return new Tensor[] {Slices.zeros(e, g[0], g[0].sizes())};
            }
            Tensor lower = raised(e, saved.get(), exponent - 1, saved.get().dtype());
            Tensor slope = Scaling.times(e, lower, exponent);
            return new Tensor[] {Elementwise.binary(e, Elementwise.MULTIPLY, g[0], slope)};
        });
    }

    private static Tensor raised(Eager e, Tensor x, double exponent, DType type) {
        return Elementwise.map(e, POWER, type, new double[] {exponent}, x);
    }

    private static Tensor rsqrt(Eager e, Tensor x) {
        Recorder r = e.record("RsqrtBackward0", x);
        Tensor out = of(e, Formulas.RSQRT, x);
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> {
                    Tensor cube = raised(e, result.get(), 3, result.get().dtype());
                    Tensor scaled = Scaling.times(e, g[0], -0.5);
                    return new Tensor[] {Elementwise.binary(e, Elementwise.MULTIPLY, scaled, cube)};
                })
                .output(out);
    }

    private static Tensor reduced(Eager e, Kind kind, Arguments a) {
        Tensor t = a.tensor("self");
        long[] kept = ReducedDimensions.kept(t.sizes(), a.integers("dim"));
        Tensor wide = Reductions.reduce(e, kind, t, kept, DType.BOOL);
        Tensor out = ReducedDimensions.shaped(e, wide, t.sizes(), kept, a.integers("dim"), a.flag("keepdim", false));
        e.free(wide);
        return out;
    }
}
