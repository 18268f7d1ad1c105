package dev.headroom.executor.op;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;

/** Losses. */
public final class LossOperators {
    private static final Formula SQUARED_DIFFERENCE =
            Formula.binary("mse", "(x0 - x1) * (x0 - x1)", (a, b) -> (a - b) * (a - b));
    private static final Formula SQUARED_DIFFERENCE_GRADIENT =
            new Formula("mse_backward", "y0 = s0 * (x1 - x2) * x0;", (x, s, y) -> y[0] = s[0] * (x[1] - x[2]) * x[0]);

    private LossOperators() {}

    static void register(Operators o) {
        o.add1("aten.mse_loss", (e, a) -> mse(e, a.tensor("self"), a.tensor("target")));
    }

    /** {@code mse_loss} with the mean as its reduction (aten/src/ATen/native/Loss.cpp). */
    public static Tensor mse(Eager e, Tensor x, Tensor target) {
        Recorder r = e.record("MseLossBackward0", x, target);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        Tensor each = Elementwise.binary(e, SQUARED_DIFFERENCE, x, target);
        Tensor out = e.empty(each.dtype());
        e.backend().reductions().reduce(Kind.MEAN, wide(e, out, each.dims()), each);
        e.drop(each);
        double scale = 2.0 / x.elements();
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? gradient(e, g[0], savedX.get(), savedTarget.get(), scale) : null,
                    r.needs(1) ? gradient(e, g[0], savedTarget.get(), savedX.get(), scale) : null
                })
                .result(out);
    }

    private static Tensor gradient(Eager e, Tensor g, Tensor x, Tensor target, double scale) {
        return Elementwise.map(e, SQUARED_DIFFERENCE_GRADIENT, x.dtype(), new double[] {scale}, g, x, target);
    }

    /** A scalar seen with dimensions of size 1. */
    private static Tensor wide(Eager e, Tensor scalar, int dims) {
        long[] ones = new long[dims];
        java.util.Arrays.fill(ones, 1);
        return e.alias(scalar, ones, ones, 0);
    }

    /** {@code sum()} as a loss. */
    public static Tensor sum(Eager e, Tensor x) {
        return ReductionOperators.sum(e, x, new long[0], false, null);
    }
}
