package dev.headroom.executor.optim;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Element-wise steps of optimizers, on one tensor or on lists ({@code torch._foreach_…}): names with a trailing
 * underscore in PyTorch are {@code into} here and allocate nothing; the others allocate one result for each tensor,
 * in order. State that it makes is kept until it is closed.
 */
final class Arithmetic implements AutoCloseable {
    static final Formula ADD_SCALED =
            new Formula("optim_add_scaled", "y0 = x0 + s0 * x1;", (x, s, y) -> y[0] = x[0] + s[0] * x[1]);
    static final Formula SCALE = new Formula("optim_scale", "y0 = x0 * s0;", (x, s, y) -> y[0] = x[0] * s[0]);
    static final Formula DIVIDE_BY = new Formula("optim_divide_by", "y0 = x0 / s0;", (x, s, y) -> y[0] = x[0] / s[0]);
    static final Formula DIVIDE = Formula.binary("optim_divide", "x0 / x1", (a, b) -> a / b);
    static final Formula MULTIPLY = Formula.binary("optim_multiply", "x0 * x1", (a, b) -> a * b);
    static final Formula ADD_NUMBER = new Formula("optim_add_number", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);
    static final Formula ADD_PRODUCT =
            new Formula("optim_add_product", "y0 = x0 + s0 * x1 * x2;", (x, s, y) -> y[0] = x[0] + s[0] * x[1] * x[2]);
    static final Formula ADD_QUOTIENT = new Formula(
            "optim_add_quotient", "y0 = x0 + s0 * (x1 / x2);", (x, s, y) -> y[0] = x[0] + s[0] * (x[1] / x[2]));
    static final Formula SQUARE_ROOT = Formula.unary("optim_sqrt", "sqrt(x0)", Math::sqrt);
    static final Formula INVERSE_ROOT = Formula.unary("optim_rsqrt", "1 / sqrt(x0)", x -> 1 / Math.sqrt(x));
    static final Formula LARGER = Formula.binary("optim_max", "x0 > x1 ? x0 : x1", Math::max);
    static final Formula AT_LEAST =
            new Formula("optim_at_least", "y0 = x0 > s0 ? x0 : s0;", (x, s, y) -> y[0] = Math.max(x[0], s[0]));
    /** From the nearer end, for accuracy (ATen/native/Lerp.h). */
    static final Formula INTERPOLATE = new Formula(
            "optim_lerp",
            "y0 = s0 < 0.5 ? x0 + s0 * (x1 - x0) : x1 - (x1 - x0) * (1 - s0);",
            (x, s, y) -> y[0] = s[0] < 0.5 ? x[0] + s[0] * (x[1] - x[0]) : x[1] - (x[1] - x[0]) * (1 - s[0]));

    private final Eager eager;
    private final List<Tensor> state = new ArrayList<>();

    Arithmetic(Eager eager) {
        this.eager = eager;
    }

    /** Changes a tensor in place: the formula's first operand is the tensor itself. */
    void into(Formula formula, double number, Tensor result, Tensor... others) {
        Tensor[] operands = new Tensor[others.length + 1];
        operands[0] = result;
        System.arraycopy(others, 0, operands, 1, others.length);
        eager.backend().elementwise().map(formula, new double[] {number}, new Tensor[] {result}, operands);
        result.storage().changed();
    }

    /** Changes every tensor of a list in place. */
    @SafeVarargs
    final void into(Formula formula, double number, List<Tensor> results, List<Tensor>... others) {
        into(formula, i -> number, results, others);
    }

    /** Changes every tensor of a list in place, each with a number of its own. */
    @SafeVarargs
    final void into(Formula formula, IntFunction<Double> number, List<Tensor> results, List<Tensor>... others) {
        for (int i = 0; i < results.size(); i++) {
            into(formula, number.apply(i), results.get(i), at(i, others));
        }
    }

    /** A fresh tensor, a local of the running scope, in the first operand's type. */
    Tensor fresh(Formula formula, double number, Tensor... operands) {
        long[] sizes = Layout.broadcast(operands);
        Tensor out = eager.emptyStrided(operands[0].dtype(), sizes, IterationOrder.resultStrides(sizes, operands));
        eager.backend().elementwise().map(formula, new double[] {number}, new Tensor[] {out}, operands);
        return out;
    }

    /** Fresh tensors, locals of the running scope; all are allocated before the first is computed. */
    @SafeVarargs
    final List<Tensor> fresh(Formula formula, double number, List<Tensor> first, List<Tensor>... others) {
        return fresh(formula, i -> number, first, others);
    }

    /** Fresh tensors, each with a number of its own. */
    @SafeVarargs
    final List<Tensor> fresh(Formula formula, IntFunction<Double> number, List<Tensor> first, List<Tensor>... others) {
        List<Tensor> out = new ArrayList<>(first.size());
        for (Tensor t : first) {
            out.add(eager.emptyLike(t));
        }
        for (int i = 0; i < out.size(); i++) {
            Tensor[] rest = at(i, others);
            Tensor[] operands = new Tensor[rest.length + 1];
            operands[0] = first.get(i);
            System.arraycopy(rest, 0, operands, 1, rest.length);
            double[] numbers = {number.apply(i)};
            eager.backend().elementwise().map(formula, numbers, new Tensor[] {out.get(i)}, operands);
        }
        return out;
    }

    @SafeVarargs
    private static Tensor[] at(int i, List<Tensor>... lists) {
        Tensor[] out = new Tensor[lists.length];
        for (int k = 0; k < out.length; k++) {
            out[k] = lists[k].get(i);
        }
        return out;
    }

    /** A scalar on the device, kept until the end. */
    Tensor keptScalar(double value) {
        try (Scope s = eager.open()) {
            Tensor out = kept(eager.empty(DType.FLOAT32));
            fill(out, value);
            return out;
        }
    }

    /** {@code empty_like}, kept until the end. */
    Tensor keptEmpty(Tensor t) {
        try (Scope s = eager.open()) {
            return kept(eager.emptyLike(t));
        }
    }

    /** {@code zeros_like}, kept until the end. */
    Tensor keptZeros(Tensor t) {
        Tensor out = keptEmpty(t);
        fill(out, 0);
        return out;
    }

    /** Zeros of a shape, kept until the end. */
    Tensor keptZeros(DType type, long... sizes) {
        try (Scope s = eager.open()) {
            Tensor out = kept(eager.empty(type, sizes));
            fill(out, 0);
            return out;
        }
    }

    /** {@code clone()}, kept until the end. */
    Tensor keptCopy(Tensor t) {
        try (Scope s = eager.open()) {
            return kept(fresh(Formula.COPY, 0, t));
        }
    }

    private Tensor kept(Tensor t) {
        state.add(eager.hold(t));
        return t;
    }

    /** Lets go of all that was kept. */
    @Override
    public void close() {
        state.forEach(eager::release);
        state.clear();
    }

    void fill(Tensor t, double value) {
        eager.backend().elementwise().fill(t, value);
    }
}
