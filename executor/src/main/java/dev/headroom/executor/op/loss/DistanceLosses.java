package dev.headroom.executor.op.loss;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;

/** Losses that are square near the target and straight beyond (aten/src/ATen/native/Loss.cpp). */
public final class DistanceLosses {
    /**
     * A loss.
     *
     * @param backward of the result's gradient, the operand and the target; numbers: the bend and a factor
     * @param keepsWhole whether a reduced result keeps the memory of an unreduced one
     */
    private record Loss(String node, Formula forward, Formula backward, boolean keepsWhole) {}

    private static final Loss SMOOTH = new Loss(
            "SmoothL1LossBackward0",
            new Formula(
                    "smooth_l1", "real z = fabs(x0 - x1); y0 = z < s0 ? z * z / (2 * s0) : z - s0 / 2;", (x, s, y) -> {
                        double z = Math.abs(x[0] - x[1]);
                        y[0] = z < s[0] ? z * z / (2 * s[0]) : z - s[0] / 2;
                    }),
            new Formula(
                    "smooth_l1_backward",
                    "real z = x1 - x2; y0 = s1 * x0 * (z <= -s0 ? -1 : z >= s0 ? 1 : z / s0);",
                    (x, s, y) -> {
                        double z = x[1] - x[2];
                        y[0] = s[1] * x[0] * (z <= -s[0] ? -1 : z >= s[0] ? 1 : z / s[0]);
                    }),
            true);
    private static final Loss HUBER = new Loss(
            "HuberLossBackward0",
            new Formula("huber", "real z = fabs(x0 - x1); y0 = z < s0 ? z * z / 2 : s0 * (z - s0 / 2);", (x, s, y) -> {
                double z = Math.abs(x[0] - x[1]);
                y[0] = z < s[0] ? z * z / 2 : s[0] * (z - s[0] / 2);
            }),
            new Formula(
                    "huber_backward",
                    "real z = x1 - x2; y0 = s1 * x0 * (z <= -s0 ? -s0 : z >= s0 ? s0 : z);",
                    (x, s, y) -> y[0] = s[1] * x[0] * Math.max(-s[0], Math.min(s[0], x[1] - x[2]))),
            false);

    private static final int MEAN = 1;

    private DistanceLosses() {}

    public static void register(Operators o) {
        o.add1(
                "aten.smooth_l1_loss",
                (e, a) -> run(e, SMOOTH, a.tensor("self"), a.tensor("target"), a.real("beta", 1), (int)
                        a.integer("reduction", MEAN)));
        o.add1(
                "aten.huber_loss",
                (e, a) -> run(e, HUBER, a.tensor("self"), a.tensor("target"), a.real("delta", 1), (int)
                        a.integer("reduction", MEAN)));
    }

    private static Tensor run(Eager e, Loss loss, Tensor x, Tensor target, double bend, int reduction) {
        Recorder r = e.record(loss.node(), x, target);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        double factor = reduction == MEAN ? 1.0 / x.elements() : 1;
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? gradient(e, loss, g[0], savedX.get(), savedTarget.get(), bend, factor) : null,
                    r.needs(1) ? gradient(e, loss, g[0], savedTarget.get(), savedX.get(), bend, factor) : null
                })
                .output(e.call(() -> forward(e, loss, x, target, bend, reduction)));
    }

    private static Tensor forward(Eager e, Loss loss, Tensor x, Tensor target, double bend, int reduction) {
        double[] numbers = {bend};
        if (reduction == 0) {
            return Elementwise.map(e, loss.forward(), Promotion.common(x, target), numbers, x, target);
        }
        if (!loss.keepsWhole()) {
            Tensor each = Elementwise.map(e, loss.forward(), Promotion.common(x, target), numbers, x, target);
            return BinaryCrossEntropy.reduced(e, each, reduction);
        }
        long[] sizes = Layout.broadcast(x, target);
        long[] strides = IterationOrder.resultStrides(sizes, x, target);
        Tensor whole = e.emptyStrided(Promotion.common(x, target), sizes, strides);
        Tensor each = Elementwise.map(e, loss.forward(), whole.dtype(), numbers, x, target);
        Tensor out = LossOperators.scalarIn(e, whole);
        LossOperators.reduceInto(e, out, each, reduction == MEAN ? Kind.MEAN : Kind.SUM);
        return out;
    }

    private static Tensor gradient(Eager e, Loss loss, Tensor g, Tensor x, Tensor target, double bend, double factor) {
        // zeros_like with the legacy format: row-major, whatever the operands' layout
        Tensor out = e.empty(x.dtype(), x.sizes());
        Elementwise.into(e, loss.backward(), new double[] {bend, factor}, out, g, x, target);
        return out;
    }
}
