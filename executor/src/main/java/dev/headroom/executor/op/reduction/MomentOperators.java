package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.elementwise.ArithmeticOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** {@code aten.var} and {@code aten.std} (aten/src/ATen/native/ReduceOps.cpp). */
public final class MomentOperators {
    private static final Formula ROOT = Formula.unary("sqrt", "sqrt(x0)", Math::sqrt);
    private static final Formula IS_ZERO =
            new Formula("eq_zero", "y0 = x0 == 0;", (x, s, y) -> y[0] = x[0] == 0 ? 1 : 0);
    private static final Formula ZEROED =
            new Formula("masked_zero", "y0 = x1 != 0 ? 0 : x0;", (x, s, y) -> y[0] = x[1] != 0 ? 0 : x[0]);

    /**
     * What a variance is of.
     *
     * @param kept the operand's sizes with 1 in the reduced dimensions
     * @param correction what is taken off the number of elements
     * @param named whether dimensions are named: then nobody looks whether a degree of freedom is left
     */
    private record Spread(long[] kept, double correction, boolean named) {}

    private MomentOperators() {}

    public static void register(Operators o) {
        o.add1("aten.var", (e, a) -> moments(e, a, false, false)[0]);
        o.add1("aten.std", (e, a) -> moments(e, a, true, false)[0]);
        o.add("aten.var_mean", (e, a) -> moments(e, a, false, true));
        o.add("aten.std_mean", (e, a) -> moments(e, a, true, true));
    }

    private static double correction(Arguments a) {
        return a.has("unbiased") ? (a.flag("unbiased", true) ? 1 : 0) : a.real("correction", 1);
    }

    /** The variance or its root, and with {@code means} the mean. */
    private static Tensor[] moments(Eager e, Arguments a, boolean root, boolean means) {
        Tensor x = a.tensor("self");
        double correction = correction(a);
        long[] dims = a.integers("dim");
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        boolean keep = a.flag("keepdim", false);
        Recorder r = e.record((root ? "Std" : "Var") + (means ? "MeanBackward0" : "Backward0"), x);
        SavedTensor saved = r.save(x);
        Spread spread = new Spread(kept, correction, a.has("dim") && x.dims() > 0);
        Tensor variance = e.empty(x.dtype(), kept);
        Tensor mean = means ? e.empty(x.dtype(), kept) : null;
        Reductions.moments(e, variance, mean, x, correction);
        if (root) {
            Elementwise.into(e, ROOT, variance, variance);
        }
        Tensor out = ReducedDimensions.shaped(e, variance, x.sizes(), kept, dims, keep);
        SavedTensor result = r.saveOutput(root ? out : null);
        r.backward(g -> {
            Tensor ofVariance = g[0] == null
                    ? null
                    : e.call(() -> root
                            ? rootGradient(e, g[0], saved.get(), result.get(), spread)
                            : gradient(e, g[0], saved.get(), spread));
            Tensor ofMean = mean == null || g[1] == null ? null : meanGradient(e, g[1], saved.get(), kept);
            if (ofVariance == null || ofMean == null) {
                return new Tensor[] {ofVariance == null ? ofMean : ofVariance};
            }
            Tensor sum = Elementwise.binary(e, Elementwise.ADD, ofVariance, ofMean);
            e.free(ofVariance); // the variable takes the sum
            return new Tensor[] {sum};
        });
        Tensor first = r.output(out);
        return mean == null
                ? new Tensor[] {first}
                : new Tensor[] {first, r.output(ReducedDimensions.shaped(e, mean, x.sizes(), kept, dims, keep))};
    }

    private static Tensor meanGradient(Eager e, Tensor g, Tensor x, long[] kept) {
        double share = (double) Layout.elements(kept) / x.elements();
        return Scaling.times(e, Views.expand(e, Views.view(e, g, kept), x.sizes()), share);
    }

    /** std_backward: g / (2 std), nothing where that is zero, as the variance's gradient. */
    private static Tensor rootGradient(Eager e, Tensor g, Tensor x, Tensor root, Spread spread) {
        Tensor twice = Scaling.times(e, root, 2);
        Tensor share = Elementwise.binary(e, ArithmeticOperators.DIVIDE, g, twice);
        Tensor zero = Elementwise.map(e, IS_ZERO, DType.BOOL, new double[0], root);
        Elementwise.into(e, ZEROED, share, share, zero);
        e.free(zero);
        e.free(twice);
        return gradient(e, share, x, spread);
    }

    /** var_backward: (2 / free) g (x - mean). */
    private static Tensor gradient(Eager e, Tensor g, Tensor x, Spread spread) {
        return e.call(() -> {
            long[] kept = spread.kept();
            double free = (double) x.elements() / Layout.elements(kept) - spread.correction();
            Tensor mean = Reductions.reduce(e, Kind.MEAN, x, kept, x.dtype());
            if (free <= 0 && !spread.named()) {
                return Elementwise.binary(e, Elementwise.MULTIPLY, Views.view(e, g, kept), unbounded(e, x, mean));
            }
            Tensor distance = Elementwise.binary(e, Formulas.DIFFERENCE, x, mean);
            Tensor scaled = Scaling.times(e, Views.view(e, g, kept), 2 / free);
            Tensor out = Elementwise.binary(e, Elementwise.MULTIPLY, scaled, distance);
            e.free(scaled);
            e.free(distance);
            e.free(mean);
            return out;
        });
    }

    /** With no degree of freedom left: nothing known at the mean, infinite elsewhere, by two scalars on the device. */
    private static Tensor unbounded(Eager e, Tensor x, Tensor mean) {
        Tensor equal = Elementwise.map(e, Formulas.EQUAL, DType.BOOL, new double[0], x, mean);
        Tensor infinite = e.empty(x.dtype());
        Tensor unknown = e.empty(x.dtype());
        Elementwise.fill(e, infinite, Double.POSITIVE_INFINITY);
        Elementwise.fill(e, unknown, Double.NaN);
        Tensor out = Elementwise.map(e, Formulas.WHERE, x.dtype(), new double[0], equal, unknown, infinite);
        e.free(unknown);
        e.free(infinite);
        return out;
    }
}
