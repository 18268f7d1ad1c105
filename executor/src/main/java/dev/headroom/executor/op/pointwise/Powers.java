package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.elementwise.ElementaryOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code pow.Tensor_Tensor} and {@code pow.Scalar} (torch/csrc/autograd/FunctionsManual.cpp, pow_backward_self and
 * pow_backward_exponent): operands are evaluated from the right.
 */
public final class Powers {
    private static final Formula POWER = Formula.binary("power", "pow(x0, x1)", Math::pow);
    private static final Formula NOT_NEGATIVE = Formula.unary("not_negative", "x0 >= 0", x -> x >= 0 ? 1 : 0);

    private Powers() {}

    public static void register(Operators o) {
        o.add1("aten.pow_", Powers::inPlace);
        o.add1(
                "aten.pow",
                (e, a) -> a.isTensor("exponent")
                        ? of(e, ComparisonOperators.operand(a, "self"), a.tensor("exponent"))
                        : ElementaryOperators.power(
                                e, a.tensor("self"), a.real("exponent", 1), a.isInteger("exponent")));
    }

    private static Tensor inPlace(Eager e, Arguments a) {
        Tensor base = a.tensor("self");
        if (!a.isTensor("exponent")) {
            return ElementaryOperators.powerInPlace(e, base, a.real("exponent", 1));
        }
        Tensor exponent = a.tensor("exponent");
        Recorder r = e.record("PowBackward1", base, exponent);
        Tensor copy = r.records() ? e.emptyLike(base) : base;
        if (copy != base) {
            Copies.fill(e, copy, base);
        }
        SavedTensor savedExponent = r.save(exponent);
        SavedTensor savedBase = r.save(copy);
        e.freeUnless(copy, base);
        Elementwise.into(e, POWER, base, base, exponent);
        r.changed(base);
        SavedTensor result = r.saveOutput(r.needs(1) ? base : null);
        recorded(e, r, base, savedBase, savedExponent, result);
        return base;
    }

    /**
     * A power.
     *
     * @param base a tensor, or a number in host memory
     */
    private static Tensor of(Eager e, Tensor base, Tensor exponent) {
        Recorder r = e.record(base.onDevice() ? "PowBackward1" : "PowBackward2", base, exponent);
        SavedTensor savedExponent = r.save(exponent);
        SavedTensor savedBase = r.save(base.onDevice() ? base : null);
        Tensor out = e.call(() -> {
            Tensor made = Elementwise.map(e, POWER, Promotion.common(base, exponent), new double[0], base, exponent);
            if (!base.onDevice()) {
                e.empty(DType.FLOAT64); // wrapped_scalar_tensor, on the device
            }
            return made;
        });
        SavedTensor result = r.saveOutput(r.needs(1) ? out : null);
        recorded(e, r, base, savedBase, savedExponent, result);
        return r.output(out);
    }

    private static void recorded(
            Eager e, Recorder r, Tensor base, SavedTensor savedBase, SavedTensor savedExponent, SavedTensor result) {
        r.backward(g -> {
            Tensor x = base.onDevice() ? savedBase.get() : base;
            Tensor y = savedExponent.get();
            Tensor ofExponent = r.needs(1) ? e.call(() -> ofExponent(new Steps(e), g[0], x, y, result.get())) : null;
            Tensor ofBase = r.needs(0) ? e.call(() -> ofBase(new Steps(e), g[0], x, y)) : null;
            return new Tensor[] {ofBase, ofExponent};
        });
    }

    private static Tensor ofBase(Steps s, Tensor g, Tensor x, Tensor y) {
        Tensor slope = s.times(y, s.of(POWER, x, s.plus(y, -1)));
        Tensor product = s.times(g, slope);
        zero(s, g);
        return s.masked(Formulas.CLEARED, product, s.truth(Formulas.EQUALS_ZERO, y));
    }

    private static Tensor ofExponent(Steps s, Tensor g, Tensor x, Tensor y, Tensor result) {
        if (!x.onDevice() && x.number() != 0) {
            return s.times(g, s.times(result, Math.log(x.number())));
        }
        Tensor condition = s.e().call(() -> {
            Tensor grows = s.truth(NOT_NEGATIVE, y);
            return x.onDevice() ? s.truth(Formulas.BOTH, s.truth(Formulas.EQUALS_ZERO, x), grows) : grows;
        });
        Tensor product =
                x.onDevice() ? s.times(result, s.of(Formulas.LOG, x)) : s.times(result, Double.NEGATIVE_INFINITY);
        zero(s, g);
        Tensor factor = s.masked(Formulas.CLEARED, product, condition);
        return s.times(g, factor);
    }

    /** The zero that {@code where} chooses, on the device. */
    private static void zero(Steps s, Tensor like) {
        Elementwise.fill(s.e(), s.e().empty(like.dtype()), 0);
    }
}
