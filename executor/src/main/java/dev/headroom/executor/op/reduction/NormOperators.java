package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code linalg_vector_norm} of every order (aten/src/ATen/native/ReduceOps.cpp); its gradient as norm_backward
 * computes it (torch/csrc/autograd/FunctionsManual.cpp).
 */
public final class NormOperators {
    private static final Formula ZEROED = Formula.binary("zeroed", "x1 != 0 ? 0 : x0", (a, m) -> m != 0 ? 0 : a);
    private static final Formula NO_NUMBER = Formula.unary("isnan", "x0 != x0", x -> Double.isNaN(x) ? 1 : 0);
    private static final Formula MAGNITUDE_POWER =
            new Formula("abs_pow", "y0 = pow(fabs(x0), s0);", (x, s, y) -> y[0] = Math.pow(Math.abs(x[0]), s[0]));

    private NormOperators() {}

    public static void register(Operators o) {
        for (String name : new String[] {"linalg_vector_norm", "norm", "frobenius_norm"}) {
            o.add1("aten." + name, NormOperators::norm);
        }
        o.add1("aten.dist", (e, a) -> distance(e, a.tensor("self"), a.tensor("other"), a.real("p", 2)));
    }

    private static Tensor norm(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        double order = a.real(a.has("p") ? "p" : "ord", 2);
        DType type = a.dtypeOr(x.dtype());
        long[] dims = a.integers("dim");
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        Recorder r = e.record("LinalgVectorNormBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor wide =
                order == 2 ? Reductions.reduce(e, Kind.NORM, x, kept, type) : Reductions.norm(e, order, x, kept, type);
        Tensor out = ReducedDimensions.shaped(e, wide, x.sizes(), kept, dims, a.flag("keepdim", false));
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> new Tensor[] {
                    order == 0
                            ? null
                            : e.call(() -> {
                                Tensor length = Views.view(e, result.get(), kept);
                                Tensor gradient = Views.view(e, g[0], kept);
                                return gradient(new Steps(e), saved.get(), length, gradient, order, kept);
                            })
                })
                .output(out);
    }

    /** {@code dist}: the length of a difference, which the backward pass computes again. */
    private static Tensor distance(Eager e, Tensor x, Tensor y, double order) {
        Recorder r = e.record("DistBackward0", x, y);
        SavedTensor second = r.save(y);
        SavedTensor first = r.save(x);
        Steps s = new Steps(e);
        Tensor out = e.call(() -> {
            Tensor difference = s.minus(x, y);
            long[] kept = ReducedDimensions.kept(difference.sizes(), new long[0]);
            Tensor wide = order == 2
                    ? Reductions.reduce(e, Kind.NORM, difference, kept, difference.dtype())
                    : Reductions.norm(e, order, difference, kept, difference.dtype());
            return ReducedDimensions.shaped(e, wide, difference.sizes(), kept, new long[0], false);
        });
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> {
                    Tensor ofY = r.needs(1)
                            ? e.call(() -> {
                                Tensor slope = slope(s, first.get(), second.get(), result.get(), g[0], order);
                                return slope == null ? null : s.negative(slope);
                            })
                            : null;
                    Tensor ofX = r.needs(0)
                            ? e.call(() -> slope(s, first.get(), second.get(), result.get(), g[0], order))
                            : null;
                    return new Tensor[] {ofX, ofY};
                })
                .output(out);
    }

    private static @Nullable Tensor slope(Steps s, Tensor x, Tensor y, Tensor length, Tensor g, double order) {
        Tensor difference = s.minus(x, y);
        long[] kept = ReducedDimensions.kept(difference.sizes(), new long[0]);
        return order == 0
                ? null
                : s.e().call(() -> gradient(
                        s, difference, Views.view(s.e(), length, kept), Views.view(s.e(), g, kept), order, kept));
    }

    private static Tensor gradient(Steps s, Tensor x, Tensor length, Tensor g, double order, long[] kept) {
        if (order == 1) {
            return s.times(s.of(Formulas.SIGN, x), g);
        }
        if (order == 2) {
            Tensor unit = s.over(x, length);
            Elementwise.into(s.e(), ZEROED, unit, unit, s.truth(Formulas.EQUALS_ZERO, length));
            return s.times(unit, g);
        }
        return Double.isInfinite(order) ? ofExtreme(s, x, length, g, kept) : ofPower(s, x, length, g, order);
    }

    /** The extremes share it. */
    private static Tensor ofExtreme(Steps s, Tensor x, Tensor length, Tensor g, long[] kept) {
        Tensor magnitude = s.of(Formulas.ABS, x);
        Tensor equal = s.truth(Formulas.EQUAL, magnitude, length);
        Tensor none = s.truth(NO_NUMBER, magnitude);
        Tensor chosen = s.truth(Formulas.EITHER, equal, none);
        s.e().free(none);
        s.e().free(equal);
        Tensor share = s.over(g, Reductions.sum(s.e(), chosen, kept, DType.INT64));
        Tensor spread = s.times(share, chosen);
        return s.times(s.of(Formulas.SIGN, x), spread);
    }

    private static Tensor ofPower(Steps s, Tensor x, Tensor length, Tensor g, double order) {
        Eager e = s.e();
        Tensor power = Elementwise.unary(e, MAGNITUDE_POWER, x, order < 2 ? order - 1 : order - 2);
        if (order < 1) {
            Tensor zero = s.truth(Formulas.EQUALS_ZERO, x);
            Elementwise.into(e, ZEROED, power, power, zero);
        }
        Tensor sign = order < 2 ? s.of(Formulas.SIGN, x) : x;
        Tensor scaled = s.times(sign, power);
        e.freeUnless(sign, x);
        e.free(power);
        Tensor lengths = s.power(length, 1 - order);
        if (order < 1) {
            return s.times(s.times(scaled, g), lengths);
        }
        Tensor scale = s.times(g, lengths);
        e.free(lengths);
        Tensor zero = s.truth(Formulas.EQUALS_ZERO, length);
        Elementwise.into(e, ZEROED, scale, scale, zero);
        e.free(zero);
        return s.times(scaled, scale);
    }
}
