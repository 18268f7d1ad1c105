package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** Activations with thresholds, with learnt slopes and of logarithms (aten/src/ATen/native/Activation.cpp). */
public final class FurtherActivations {
    private static final Activation LOG_SIGMOID = new Activation(
            "LogSigmoidBackward0",
            Formula.unary(
                    "log_sigmoid",
                    "fmin((real) 0, x0) - log1p(exp(-fabs(x0)))",
                    x -> Math.min(0, x) - Math.log1p(Math.exp(-Math.abs(x)))),
            Formula.binary("log_sigmoid_backward", "x0 / (1 + exp(x1))", (g, x) -> g / (1 + Math.exp(x))),
            false);

    private static final Formula BEYOND = new Formula(
            "beyond", "y0 = x1 >= -s0 && x1 <= s0 ? 0 : x0;", (x, s, y) -> y[0] = Math.abs(x[1]) <= s[0] ? 0 : x[0]);
    private static final Activation HARDSHRINK = new Activation(
            "HardshrinkBackward0",
            new Formula(
                    "hardshrink",
                    "y0 = x0 >= -s0 && x0 <= s0 ? 0 : x0;",
                    (x, s, y) -> y[0] = Math.abs(x[0]) <= s[0] ? 0 : x[0]),
            BEYOND,
            false);
    private static final Activation SOFTSHRINK = new Activation(
            "SoftshrinkBackward0",
            new Formula(
                    "softshrink",
                    "y0 = x0 > s0 ? x0 - s0 : x0 < -s0 ? x0 + s0 : 0;",
                    (x, s, y) -> y[0] = x[0] > s[0] ? x[0] - s[0] : x[0] < -s[0] ? x[0] + s[0] : 0),
            BEYOND,
            false);

    /** Numbers: the threshold and what stands below it. */
    private static final Activation THRESHOLD = new Activation(
            "ThresholdBackward0",
            new Formula("threshold", "y0 = x0 <= s0 ? s1 : x0;", (x, s, y) -> y[0] = x[0] <= s[0] ? s[1] : x[0]),
            new Formula("above", "y0 = x1 <= s0 ? 0 : x0;", (x, s, y) -> y[0] = x[1] <= s[0] ? 0 : x[0]),
            false);

    private static final Formula CELU = new Formula(
            "celu",
            "y0 = x0 > 0 ? x0 : s0 * expm1(x0 / s0);",
            (x, s, y) -> y[0] = x[0] > 0 ? x[0] : s[0] * Math.expm1(x[0] / s[0]));
    private static final Activation CELU_FRESH = new Activation(
            "CeluBackward0",
            CELU,
            new Formula(
                    "celu_backward",
                    "y0 = x1 <= 0 ? x0 * exp(x1 / s0) : x0;",
                    (x, s, y) -> y[0] = x[1] <= 0 ? x[0] * Math.exp(x[1] / s[0]) : x[0]),
            false);
    private static final Activation CELU_IN_PLACE = new Activation(
            "CeluBackward1",
            CELU,
            new Formula(
                    "celu_backward_result",
                    "y0 = x1 <= 0 ? x0 * (x1 + s0) / s0 : x0;",
                    (x, s, y) -> y[0] = x[1] <= 0 ? x[0] * (x[1] + s[0]) / s[0] : x[0]),
            true);

    private static final Formula PRELU = Formula.binary("prelu", "x0 > 0 ? x0 : x1 * x0", (x, w) -> x > 0 ? x : w * x);

    /** Of the operand, the weight and the result's gradient: the gradients of the first two. */
    private static final Formula PRELU_BACKWARD =
            new Formula("prelu_backward", "y0 = x0 > 0 ? x2 : x1 * x2; y1 = x0 > 0 ? 0 : x0 * x2;", (x, s, y) -> {
                y[0] = x[0] > 0 ? x[2] : x[1] * x[2];
                y[1] = x[0] > 0 ? 0 : x[0] * x[2];
            });

    private FurtherActivations() {}

    public static void register(Operators o) {
        o.add1("aten.rrelu", (e, a) -> RandomRelu.apply(e, a, false));
        o.add1("aten.rrelu_", (e, a) -> RandomRelu.apply(e, a, true));
        o.add1("aten.log_sigmoid", (e, a) -> LOG_SIGMOID.apply(e, a.tensor("self")));
        o.add1("aten.hardshrink", (e, a) -> HARDSHRINK.apply(e, a.tensor("self"), a.real("lambd", 0.5)));
        o.add1("aten.softshrink", (e, a) -> SOFTSHRINK.apply(e, a.tensor("self"), a.real("lambd", 0.5)));
        o.add1(
                "aten.threshold",
                (e, a) -> THRESHOLD.apply(e, a.tensor("self"), a.real("threshold", 0), a.real("value", 0)));
        o.add1(
                "aten.threshold_",
                (e, a) -> THRESHOLD.applyInPlace(e, a.tensor("self"), a.real("threshold", 0), a.real("value", 0)));
        o.add1("aten.celu", (e, a) -> CELU_FRESH.apply(e, a.tensor("self"), a.real("alpha", 1)));
        o.add1("aten.celu_", (e, a) -> CELU_IN_PLACE.applyInPlace(e, a.tensor("self"), a.real("alpha", 1)));
        o.add1("aten.prelu", (e, a) -> e.call(() -> prelu(e, a.tensor("self"), a.tensor("weight"))));
    }

    /** {@code prelu}: the weight is seen with the operand's dimensions, a slope for each channel. */
    private static Tensor prelu(Eager e, Tensor x, Tensor slopes) {
        Tensor w = slopes;
        if (slopes.dims() != x.dims()) {
            long[] shape = new long[x.dims()];
            Arrays.fill(shape, 1);
            if (shape.length > 0) {
                shape[Math.min(1, shape.length - 1)] = slopes.elements();
            }
            w = Views.reshape(e, slopes, shape);
        }
        Tensor weight = w;
        Recorder r = e.record("PreluKernelBackward0", x, weight);
        SavedTensor savedX = r.save(x);
        SavedTensor savedWeight = r.save(weight);
        return r.backward(g -> preluGradients(e, savedX.get(), savedWeight.get(), g[0]))
                .output(Elementwise.binary(e, PRELU, x, weight));
    }

    /** Both gradients in one kernel; the weight's is as large as the operand's, and is summed after it. */
    private static Tensor[] preluGradients(Eager e, Tensor x, Tensor weight, Tensor g) {
        long[] sizes = Layout.broadcast(x, weight, g);
        long[] strides = IterationOrder.resultStrides(sizes, x, weight, g);
        Tensor ofX = e.emptyStrided(Promotion.common(x, weight, g), sizes, strides);
        Tensor ofWeight = e.emptyStrided(ofX.dtype(), sizes, strides);
        e.backend().elementwise().map(PRELU_BACKWARD, new double[0], new Tensor[] {ofX, ofWeight}, x, weight, g);
        return new Tensor[] {ofX, ofWeight};
    }
}
