package dev.headroom.executor.op.normalization;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.composite.Calls;
import dev.headroom.executor.op.composite.WeightLengths;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code _weight_norm}: every slice of a weight along its first or last dimension, in the direction of {@code v} and of
 * the length {@code g} (aten/src/ATen/native/WeightNorm.cpp, cuda/WeightNorm.cu). The fused kernels take no memory but
 * their results'; neither do these steps, which work in place.
 */
public final class WeightNorms {
    private static final Formula SCALED =
            new Formula("weight_norm", "y0 = x0 * x1 / x2;", (x, s, y) -> y[0] = x[0] * x[1] / x[2]);

    /** Of the gradient, v, g, the length and the sum of gradient times v. */
    private static final Formula GRADIENT = new Formula(
            "weight_norm_backward",
            "y0 = x2 / x3 * (x0 - x1 * x4 / (x3 * x3));",
            (x, s, y) -> y[0] = x[2] / x[3] * (x[0] - x[1] * x[4] / (x[3] * x[3])));

    private static final Formula QUOTIENT = Formula.binary("length_gradient", "x0 / x1", (a, b) -> a / b);

    private WeightNorms() {}

    public static void register(Operators o) {
        o.add1("aten._weight_norm", (e, a) -> {
            int dim = Layout.dimension(a.integer("dim", 0), a.tensor("v").dims());
            return dim == 0 || dim == a.tensor("v").dims() - 1
                    ? of(e, a)
                    : e.call(() -> WeightLengths.composed(new Calls(e, o, true), a.tensor("v"), a.tensor("g"), dim));
        });
    }

    private static Tensor of(Eager e, Arguments a) {
        Tensor v = a.tensor("v");
        Tensor g = a.tensor("g");
        Recorder r = e.record("WeightNormInterfaceBackward0", v, g);
        SavedTensor direction = r.save(v);
        SavedTensor length = r.save(g);
        Tensor out = e.emptyLike(v);
        Tensor norms = e.empty(g.dtype().isReducedFloat() ? DType.FLOAT32 : g.dtype(), g.sizes());
        e.backend().reductions().reduce(Kind.NORM, norms, v);
        Elementwise.into(e, SCALED, out, v, g, norms);
        SavedTensor saved = r.saveOutput(norms);
        Tensor result = r.backward(grads -> gradients(e, grads[0], direction.get(), length.get(), saved.get()))
                .output(out);
        e.free(norms);
        return result;
    }

    private static Tensor[] gradients(Eager e, Tensor given, Tensor v, Tensor g, Tensor norms) {
        Tensor dense = Copies.contiguous(e, given);
        Tensor gradV = e.emptyLike(v);
        Tensor gradG = e.emptyLike(g);
        Elementwise.into(e, Elementwise.MULTIPLY, gradV, dense, v);
        e.backend().reductions().reduce(Kind.SUM, gradG, gradV);
        Elementwise.into(e, GRADIENT, gradV, dense, v, g, norms, gradG);
        Elementwise.into(e, QUOTIENT, gradG, gradG, norms);
        e.freeUnless(dense, given);
        return new Tensor[] {gradV, gradG};
    }
}
