package dev.headroom.executor.op.loss;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** {@code soft_margin_loss} (aten/src/ATen/native/Loss.cpp). */
public final class SoftMarginLoss {
    private static final Formula LOSS =
            Formula.binary("soft_margin", "log1p(exp(-x1 * x0))", (x, y) -> Math.log1p(Math.exp(-y * x)));
    private static final Formula GRADIENT = new Formula(
            "soft_margin_backward",
            "y0 = -s0 * x1 * x2 / (x2 + 1) * x0;",
            (x, s, y) -> y[0] = -s[0] * x[1] * x[2] / (x[2] + 1) * x[0]);

    private static final int MEAN = 1;

    private SoftMarginLoss() {}

    public static void register(Operators o) {
        o.add1(
                "aten.soft_margin_loss",
                (e, a) -> run(e, a.tensor("self"), a.tensor("target"), (int) a.integer("reduction", MEAN)));
    }

    private static Tensor run(Eager e, Tensor x, Tensor target, int reduction) {
        Recorder r = e.record("SoftMarginLossBackward0", x);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        double factor = reduction == MEAN ? 1.0 / x.elements() : 1;
        Tensor result = e.call(() -> {
            Tensor each = Elementwise.map(e, LOSS, Promotion.common(x, target), new double[0], x, target);
            if (reduction == 0) {
                return each;
            }
            // The reduced result is copied into the memory of the unreduced one.
            Tensor small = e.empty(each.dtype());
            LossOperators.reduceInto(e, small, each, reduction == MEAN ? Kind.MEAN : Kind.SUM);
            Tensor out = LossOperators.scalarIn(e, each);
            Copies.fill(e, out, small);
            return out;
        });
        return r.backward(g -> new Tensor[] {
                    e.call(() -> gradient(new Steps(e), g[0], savedX.get(), savedTarget.get(), factor))
                })
                .output(result);
    }

    private static Tensor gradient(Steps s, Tensor g, Tensor x, Tensor target, double factor) {
        Eager e = s.e();
        Tensor negative = s.negative(target);
        Tensor product = s.times(negative, x);
        Tensor power = s.of(Formulas.EXP, product);
        e.free(product);
        e.free(negative);
        Tensor out = e.emptyLike(x);
        Elementwise.into(e, GRADIENT, new double[] {factor}, out, g, target, power);
        return out;
    }
}
