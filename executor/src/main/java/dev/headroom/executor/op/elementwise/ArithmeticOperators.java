package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.ComplexNumbers;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Arithmetic of two operands, of which the second may be a number (aten/src/ATen/native/BinaryOps.cpp;
 * derivatives.yaml).
 */
public final class ArithmeticOperators {
    public static final Formula DIVIDE = Formula.binary("div", "x0 / x1", (a, b) -> a / b);
    public static final Formula TRUNCATED =
            Formula.binary("div_trunc", "trunc(x0 / x1)", (a, b) -> a / b < 0 ? Math.ceil(a / b) : Math.floor(a / b));
    public static final Formula FLOORED = Formula.binary("div_floor", "floor(x0 / x1)", (a, b) -> Math.floor(a / b));
    private static final Formula ADD_SCALED =
            new Formula("add_scaled", "y0 = x0 + s0 * x1;", (x, s, y) -> y[0] = x[0] + s[0] * x[1]);
    private static final Formula SUBTRACT_FROM =
            new Formula("rsub", "y0 = x1 - s0 * x0;", (x, s, y) -> y[0] = x[1] - s[0] * x[0]);

    private ArithmeticOperators() {}

    public static void register(Operators o) {
        both(o, "aten.add", ArithmeticOperators::add);
        both(o, "aten.sub", ArithmeticOperators::subtract);
        both(o, "aten.mul", ArithmeticOperators::multiply);
        both(o, "aten.div", ArithmeticOperators::divide);
        o.add1("aten.rsub", ArithmeticOperators::subtractFrom);
        ComparisonOperators.inPlace(o, "floor_divide", FLOORED, "other");
        // Nothing of it is recorded for the backward pass.
        o.add1("aten.floor_divide", (e, a) -> {
            Tensor x = a.tensor("self");
            Tensor y = other(a);
            return Elementwise.map(e, FLOORED, Promotion.common(x, y), new double[0], x, y);
        });
    }

    private interface Binary {
        Tensor run(Eager e, Arguments a, boolean inPlace);
    }

    private static void both(Operators o, String name, Binary operator) {
        o.add1(name, (e, a) -> operator.run(e, a, false));
        o.add1(name + "_", (e, a) -> operator.run(e, a, true));
    }

    /** The second operand; a number becomes a scalar in host memory, as Python's numbers are wrapped. */
    static Tensor other(Arguments a) {
        if (a.isTensor("other")) {
            return a.tensor("other");
        }
        return Tensor.number(a.isInteger("other") ? DType.INT64 : DType.FLOAT32, a.real("other", 0));
    }

    private static Tensor add(Eager e, Arguments a, boolean inPlace) {
        return addScaled(e, "AddBackward0", a.tensor("self"), other(a), a.real("alpha", 1), inPlace);
    }

    private static Tensor subtract(Eager e, Arguments a, boolean inPlace) {
        return addScaled(e, "SubBackward0", a.tensor("self"), other(a), -a.real("alpha", 1), inPlace);
    }

    private static Tensor addScaled(Eager e, String node, Tensor x, Tensor y, double factor, boolean inPlace) {
        Recorder r = e.record(node, x, y);
        r.backward(g -> new Tensor[] {r.needs(0) ? g[0] : null, r.needs(1) ? scaled(e, g[0], factor) : null});
        double[] numbers = {factor};
        if (inPlace) {
            Elementwise.into(e, ADD_SCALED, numbers, x, x, y);
            return r.changed(x);
        }
        return r.output(Elementwise.map(e, ADD_SCALED, Promotion.common(x, y), numbers, x, y));
    }

    /** The second operand's gradient: a difference negates before it multiplies. */
    private static Tensor scaled(Eager e, Tensor g, double factor) {
        if (factor >= 0) {
            return Scaling.maybeTimes(e, g, factor);
        }
        Tensor negative = Elementwise.unary(e, Formulas.NEGATE, g);
        Tensor out = Scaling.maybeTimes(e, negative, -factor);
        e.freeUnless(negative, out);
        return out;
    }

    private static Tensor multiply(Eager e, Arguments a, boolean inPlace) {
        return times(e, a.tensor("self"), other(a), inPlace);
    }

    /** {@code mul}. */
    static Tensor times(Eager e, Tensor x, Tensor y, boolean inPlace) {
        Recorder r = e.record("MulBackward0", x, y);
        SavedTensor second = r.saveIf(r.needs(0), y);
        SavedTensor first = r.saveIf(r.needs(1), inPlace ? copied(e, r.needs(1), x) : x);
        r.backward(g -> {
            // Generated code computes gradients in the alphabetical order of their names: other, self.
            Tensor ofSecond = r.needs(1) ? timesConjugate(e, g[0], first.get(), y.dtype()) : null;
            Tensor ofFirst = r.needs(0) ? timesConjugate(e, g[0], second.get(), x.dtype()) : null;
            return new Tensor[] {ofFirst, ofSecond};
        });
        if (inPlace) {
            Elementwise.into(e, Elementwise.MULTIPLY, x, x, y);
            return r.changed(x);
        }
        return r.output(Elementwise.map(e, Elementwise.MULTIPLY, Promotion.common(x, y), new double[0], x, y));
    }

    /**
     * A gradient times the other factor; of complex numbers times its conjugate, which is a copy
     * (aten/src/ATen/ConjugateFallback.cpp), and of a real number's gradient the real part is left (handle_r_to_c).
     */
    private static Tensor timesConjugate(Eager e, Tensor g, Tensor factor, DType type) {
        if (!factor.dtype().isComplex() && !g.dtype().isComplex()) {
            return Elementwise.binary(e, Elementwise.MULTIPLY, g, factor);
        }
        return e.call(() -> {
            Tensor conjugate = factor.dtype().isComplex() ? ComplexNumbers.conjugate(e, factor) : factor;
            Tensor product = Elementwise.binary(e, Elementwise.MULTIPLY, g, conjugate);
            return type.isComplex() ? product : e.part(product, 0);
        });
    }

    /**
     * An operator in place keeps a copy of an operand that its backward function needs (VariableType, original_self).
     */
    static Tensor copied(Eager e, boolean wanted, Tensor x) {
        if (!wanted) {
            return x;
        }
        Tensor copy = e.emptyLike(x);
        Copies.fill(e, copy, x);
        return copy;
    }

    private static Tensor divide(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor y = other(a);
        if (!a.text("rounding_mode", "").isEmpty()) {
            return quotient(e, x, y, a.text("rounding_mode", "").equals("trunc"), inPlace);
        }
        Recorder r = e.record("DivBackward0", x, y);
        SavedTensor divisor = r.save(y);
        SavedTensor dividend = r.saveIf(r.needs(1), inPlace ? copied(e, r.needs(1), x) : x);
        r.backward(g -> {
            Tensor ofSecond = r.needs(1) ? divisorGradient(e, g[0], dividend.get(), divisor.get()) : null;
            Tensor ofFirst = r.needs(0) ? Elementwise.binary(e, DIVIDE, g[0], divisor.get()) : null;
            return new Tensor[] {ofFirst, ofSecond};
        });
        if (inPlace) {
            Elementwise.into(e, DIVIDE, x, x, y);
            return r.changed(x);
        }
        return r.output(Elementwise.map(e, DIVIDE, Promotion.floating(Promotion.common(x, y)), new double[0], x, y));
    }

    /** A rounded quotient, whose gradients are zeros. */
    private static Tensor quotient(Eager e, Tensor x, Tensor y, boolean truncates, boolean inPlace) {
        if (!x.onDevice() && !y.onDevice()) {
            double exact = x.number() / y.number();
            double whole = truncates && exact < 0 ? Math.ceil(exact) : Math.floor(exact);
            return Tensor.number(Promotion.common(x, y), whole); // of two numbers of Python's, in host memory
        }
        Formula formula = truncates ? TRUNCATED : FLOORED;
        Recorder r = e.record("DivBackward1", x, y);
        r.save(y);
        r.saveIf(r.needs(1), inPlace ? copied(e, r.needs(1), x) : x);
        r.backward(g -> {
            Tensor ofSecond = r.needs(1) ? zerosLike(e, g[0]) : null;
            Tensor ofFirst = r.needs(0) ? zerosLike(e, g[0]) : null;
            return new Tensor[] {ofFirst, ofSecond};
        });
        if (inPlace) {
            Elementwise.into(e, formula, x, x, y);
            return r.changed(x);
        }
        return r.output(Elementwise.map(e, formula, Promotion.common(x, y), new double[0], x, y));
    }

    private static Tensor zerosLike(Eager e, Tensor t) {
        Tensor out = e.emptyLike(t);
        Elementwise.fill(e, out, 0);
        return out;
    }

    /** div_tensor_other_backward: -g ((x / y) / y). */
    private static Tensor divisorGradient(Eager e, Tensor g, Tensor x, Tensor y) {
        return e.call(() -> {
            Tensor negative = Elementwise.unary(e, Formulas.NEGATE, g);
            Tensor once = Elementwise.binary(e, DIVIDE, x, y);
            Tensor twice = Elementwise.binary(e, DIVIDE, once, y);
            return Elementwise.binary(e, Elementwise.MULTIPLY, negative, twice);
        });
    }

    private static Tensor subtractFrom(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor y = other(a);
        double factor = a.real("alpha", 1);
        Recorder r = e.record("RsubBackward1", x, y);
        Tensor out = Elementwise.map(e, SUBTRACT_FROM, Promotion.common(x, y), new double[] {factor}, x, y);
        return r.backward(g ->
                        new Tensor[] {r.needs(0) ? Scaling.times(e, g[0], -factor) : null, r.needs(1) ? g[0] : null})
                .output(out);
    }
}
