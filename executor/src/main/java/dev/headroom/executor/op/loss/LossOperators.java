package dev.headroom.executor.op.loss;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Autocast;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.reduction.ReductionOperators;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Losses. */
public final class LossOperators {
    private static final Formula SQUARED_DIFFERENCE =
            Formula.binary("mse", "(x0 - x1) * (x0 - x1)", (a, b) -> (a - b) * (a - b));
    private static final Formula SQUARED_DIFFERENCE_GRADIENT =
            new Formula("mse_backward", "y0 = s0 * (x1 - x2) * x0;", (x, s, y) -> y[0] = s[0] * (x[1] - x[2]) * x[0]);

    private static final int MEAN = 1;

    private LossOperators() {}

    public static void register(Operators o) {
        o.add1(
                "aten.mse_loss",
                (e, a) -> mse(e, a.tensor("self"), a.tensor("target"), (int) a.integer("reduction", MEAN)));
    }

    /**
     * {@code mse_loss} (aten/src/ATen/native/Loss.cpp, mse_loss_out). The reduced result keeps the memory of an
     * unreduced one: it is made with the operands' shape and resized.
     *
     * @param reduction as in torch.nn.functional's _Reduction: 0 none, 1 mean, 2 sum
     */
    static Tensor mse(Eager e, Tensor x, Tensor target, int reduction) {
        Recorder r = e.record("MseLossBackward0", x, target);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        double scale = reduction == MEAN ? 2.0 / x.elements() : 2;
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? gradient(e, g[0], savedX.get(), savedTarget.get(), scale) : null,
                    r.needs(1) ? gradient(e, g[0], savedTarget.get(), savedX.get(), scale) : null
                })
                .output(e.call(() -> squares(e, x, target, reduction)));
    }

    private static Tensor squares(Eager e, Tensor x, Tensor target, int reduction) {
        if (reduction == 0) {
            return Elementwise.binary(e, SQUARED_DIFFERENCE, x, target);
        }
        DType type = Promotion.common(x, target);
        long[] sizes = Layout.broadcast(x, target);
        Tensor whole = e.emptyStrided(type, sizes, IterationOrder.resultStrides(sizes, x, target));
        Tensor each = Elementwise.binary(e, SQUARED_DIFFERENCE, x, target);
        Tensor out = scalarIn(e, whole);
        Reductions.into(e, reduction == MEAN ? Kind.MEAN : Kind.SUM, wide(e, out, each.dims()), each);
        return out;
    }

    private static Tensor gradient(Eager e, Tensor g, Tensor x, Tensor target, double scale) {
        // zeros_like with the legacy format: row-major, whatever the operands' layout
        Tensor out = e.empty(x.dtype(), x.sizes());
        Elementwise.into(e, SQUARED_DIFFERENCE_GRADIENT, new double[] {scale}, out, g, x, target);
        return out;
    }

    /** A scalar in the memory of a tensor; one without elements has none, and it gets its own (resize_). */
    static Tensor scalarIn(Eager e, Tensor t) {
        return t.elements() == 0 ? e.empty(t.dtype()) : e.alias(t, new long[0], new long[0], 0);
    }

    /** A scalar seen with dimensions of size 1. */
    private static Tensor wide(Eager e, Tensor scalar, int dims) {
        long[] ones = new long[dims];
        Arrays.fill(ones, 1);
        return e.alias(scalar, ones, ones, 0);
    }

    /** A reduction of all elements into a scalar. */
    static void reduceInto(Eager e, Tensor scalar, Tensor each, Kind kind) {
        Reductions.into(e, kind, wide(e, scalar, each.dims()), each);
    }

    /** {@code mse_loss} as a program calls it, under autocast in float32. */
    public static Tensor mseLoss(Eager e, Tensor x, Tensor target) {
        Tensor second = Autocast.widened(e, target);
        return mse(e, Autocast.widened(e, x), second, MEAN);
    }

    /** {@code sum()} as a loss, under autocast in float32. */
    public static Tensor sum(Eager e, Tensor x) {
        boolean widens = e.autocast().type() != null && x.dtype().isReducedFloat();
        return ReductionOperators.sum(e, x, new long[0], false, widens ? DType.FLOAT32 : null);
    }

    /** A loss divided by a Python number. */
    public static Tensor divided(Eager e, Tensor loss, int by) {
        return e.record("DivBackward0", loss)
                .backward(g -> new Tensor[] {Scaling.times(e, g[0], 1.0 / by)})
                .output(Scaling.times(e, loss, 1.0 / by));
    }

    /** A loss times a scale that is on the device, in the wider type of the two. */
    public static Tensor scaled(Eager e, Tensor loss, Tensor scale) {
        Recorder r = e.record("MulBackward0", loss);
        SavedTensor saved = r.save(scale);
        return r.backward(g -> new Tensor[] {Elementwise.binary(e, Elementwise.MULTIPLY, g[0], saved.get())})
                .output(Elementwise.binary(e, Elementwise.MULTIPLY, loss, scale));
    }

    /** {@code cross_entropy} of class scores and class numbers. */
    public static Tensor crossEntropy(Eager e, Tensor scores, Tensor labels) {
        return CrossEntropy.crossEntropy(e, scores, labels);
    }
}
