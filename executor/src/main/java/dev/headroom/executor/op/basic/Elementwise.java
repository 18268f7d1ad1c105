package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** Element-wise results below autograd: their shape, layout and type as TensorIterator decides them. */
public final class Elementwise {
    public static final Formula ADD = Formula.binary("add", "x0 + x1", Double::sum);
    public static final Formula MULTIPLY = Formula.binary("mul", "x0 * x1", (a, b) -> a * b);

    private static final double[] NO_NUMBERS = {};

    private Elementwise() {}

    /** A fresh result in the operands' common type. */
    public static Tensor unary(Eager e, Formula formula, Tensor x, double... numbers) {
        return map(e, formula, x.dtype(), numbers, x);
    }

    /** A fresh result in the operands' common type. */
    public static Tensor binary(Eager e, Formula formula, Tensor a, Tensor b) {
        return map(e, formula, Promotion.common(a, b), NO_NUMBERS, a, b);
    }

    /** A fresh result of a given type. */
    public static Tensor map(Eager e, Formula formula, DType type, double[] numbers, Tensor... operands) {
        long[] sizes = Layout.broadcast(operands);
        Tensor out = e.emptyStrided(type, sizes, IterationOrder.resultStrides(sizes, operands));
        into(e, formula, numbers, out, operands);
        return out;
    }

    /** Results into a tensor that exists. */
    public static void into(Eager e, Formula formula, Tensor result, Tensor... operands) {
        into(e, formula, NO_NUMBERS, result, operands);
    }

    /** Results into a tensor that exists. */
    public static void into(Eager e, Formula formula, double[] numbers, Tensor result, Tensor... operands) {
        if (ComplexNumbers.among(result, operands)) {
            ComplexNumbers.into(e, formula, numbers, result, operands);
        } else {
            e.backend().elementwise().map(formula, numbers, new Tensor[] {result}, operands);
        }
    }

    /** {@code zeros_like}: as the gradient of what a result does not depend on. */
    public static Tensor zerosLike(Eager e, Tensor t) {
        Tensor zeros = e.emptyLike(t);
        fill(e, zeros, 0);
        return zeros;
    }

    /** Fills a tensor with a number. */
    public static void fill(Eager e, Tensor t, double value) {
        if (t.dtype().isComplex()) {
            into(e, Formula.FILL, new double[] {value}, t);
        } else {
            e.backend().elementwise().fill(t, value);
        }
    }
}
