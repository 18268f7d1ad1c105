package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.elementwise.ArithmeticOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** The kernels that a derivative is composed of, below autograd: each makes a tensor that lives until its end. */
public record Steps(Eager e) {
    private static final double[] NONE = {};
    private static final Formula PLUS = new Formula("plus", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);
    private static final Formula FROM = new Formula("from", "y0 = s0 - x0;", (x, s, y) -> y[0] = s[0] - x[0]);
    private static final Formula INVERSE = new Formula("inverse", "y0 = s0 / x0;", (x, s, y) -> y[0] = s[0] / x[0]);
    private static final Formula POWER =
            new Formula("pow", "y0 = pow(x0, s0);", (x, s, y) -> y[0] = Math.pow(x[0], s[0]));

    public Tensor times(Tensor a, Tensor b) {
        return Elementwise.binary(e, Elementwise.MULTIPLY, a, b);
    }

    public Tensor times(Tensor a, double b) {
        return Scaling.times(e, a, b);
    }

    public Tensor add(Tensor a, Tensor b) {
        return Elementwise.binary(e, Elementwise.ADD, a, b);
    }

    public Tensor plus(Tensor a, double b) {
        return Elementwise.unary(e, PLUS, a, b);
    }

    public Tensor minus(Tensor a, Tensor b) {
        return Elementwise.binary(e, Formulas.DIFFERENCE, a, b);
    }

    /** A number less a tensor. */
    public Tensor from(double a, Tensor b) {
        return Elementwise.unary(e, FROM, b, a);
    }

    public Tensor over(Tensor a, Tensor b) {
        return Elementwise.map(e, ArithmeticOperators.DIVIDE, Promotion.floating(Promotion.common(a, b)), NONE, a, b);
    }

    /** A number over a tensor. */
    public Tensor inverse(double a, Tensor b) {
        return Elementwise.unary(e, INVERSE, b, a);
    }

    /** A function of elements and of truths about them, in the elements' type and layout. */
    public Tensor masked(Formula formula, Tensor elements, Tensor mask) {
        Tensor out = e.emptyLike(elements);
        Elementwise.into(e, formula, out, elements, mask);
        return out;
    }

    public Tensor negative(Tensor a) {
        return Elementwise.unary(e, Formulas.NEGATE, a);
    }

    public Tensor power(Tensor a, double exponent) {
        return Elementwise.unary(e, POWER, a, exponent);
    }

    /** Some function of the elements, in the operands' common type. */
    public Tensor of(Formula formula, Tensor... operands) {
        return Elementwise.map(e, formula, Promotion.common(operands), NONE, operands);
    }

    /** A truth about the elements. */
    public Tensor truth(Formula formula, Tensor... operands) {
        return Elementwise.map(e, formula, DType.BOOL, NONE, operands);
    }

    /** {@code zeros_like}. */
    public Tensor zeros(Tensor like) {
        Tensor out = e.emptyLike(like);
        Elementwise.fill(e, out, 0);
        return out;
    }
}
