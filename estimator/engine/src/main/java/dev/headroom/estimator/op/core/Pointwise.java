package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Element-wise arithmetic with gradients (tools/autograd/derivatives.yaml). */
public final class Pointwise {
    private Pointwise() {}

    /** A fresh tensor in the promoted type, whatever the arithmetic; not recorded. */
    public static Tensor op(EagerRuntime rt, Tensor... operands) {
        return Strided.result(rt, operands);
    }

    /** As {@link #op}, then frees a temporary that went in: {@code f(temporary)} as one expression. */
    public static Tensor opFreeing(EagerRuntime rt, Tensor temporary, Tensor... others) {
        Tensor[] all = new Tensor[others.length + 1];
        all[0] = temporary;
        System.arraycopy(others, 0, all, 1, others.length);
        Tensor out = Strided.result(rt, all);
        rt.free(temporary);
        return out;
    }

    public static Tensor add(EagerRuntime rt, Tensor a, Tensor b, boolean scaled) {
        return addLike(rt, "AddBackward0", a, b, scaled);
    }

    public static Tensor add(EagerRuntime rt, Tensor a, Tensor b) {
        return add(rt, a, b, false);
    }

    /** {@code a - b}: the gradient of {@code b} is negated. */
    public static Tensor sub(EagerRuntime rt, Tensor a, Tensor b, boolean scaled) {
        Recorder r = rt.record("SubBackward0", a, b);
        Tensor out = Strided.result(rt, a, b);
        return r.gradient(1, g -> scaled ? mul(rt, neg(rt, g), number(rt)) : neg(rt, g))
                .gradient(0, g -> g)
                .again()
                .output(out);
    }

    public static Tensor sub(EagerRuntime rt, Tensor a, Tensor b) {
        return sub(rt, a, b, false);
    }

    private static Tensor addLike(EagerRuntime rt, String node, Tensor a, Tensor b, boolean otherTimesSomething) {
        Recorder r = rt.record(node, a, b);
        Tensor out = Strided.result(rt, a, b);
        recordAdd(rt, r, otherTimesSomething, out);
        return out;
    }

    private static void recordAdd(EagerRuntime rt, Recorder r, boolean otherTimesSomething, Tensor out) {
        r.gradient(1, g -> otherTimesSomething ? mul(rt, g, number(rt)) : g)
                .gradient(0, g -> g)
                .again()
                .output(out);
    }

    public static Tensor addInPlace(EagerRuntime rt, Tensor self, Tensor other, boolean scaled) {
        recordAdd(rt, rt.record("AddBackward0", self, other), scaled, self);
        return self;
    }

    public static Tensor mul(EagerRuntime rt, Tensor a, Tensor b) {
        Recorder r = rt.record("MulBackward0", a, b);
        Saved other = r.saveIf(r.needs(0), b);
        Saved self = r.saveIf(r.needs(1), a);
        Tensor out = Strided.result(rt, a, b);
        return r.gradient(1, g -> mulConjugate(rt, g, self.get()))
                .gradient(0, g -> mulConjugate(rt, g, other.get()))
                .again()
                .output(out);
    }

    /** {@code grad * factor.conj()}, which a kernel takes as a copy (ATen/ConjugateFallback.cpp). */
    private static Tensor mulConjugate(EagerRuntime rt, Tensor g, Tensor factor) {
        if (!factor.dtype().isComplex()) {
            return mul(rt, g, factor);
        }
        Tensor copy = rt.emptyLike(factor);
        Tensor out = mul(rt, g, copy);
        rt.free(copy);
        return out;
    }

    /** {@code t * number}. */
    public static Tensor scaled(EagerRuntime rt, Tensor t) {
        return mul(rt, t, number(rt));
    }

    private static Tensor number(EagerRuntime rt) {
        return rt.wrappedNumber(DType.FLOAT32);
    }

    /** {@code exp(t)}. */
    public static Tensor exp(EagerRuntime rt, Tensor t) {
        Recorder r = rt.record("ExpBackward0", t);
        Tensor out = Strided.result(rt, t);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> mul(rt, g, result.get())).again().output(out);
    }

    /** {@code -t}. */
    public static Tensor neg(EagerRuntime rt, Tensor t) {
        Recorder r = rt.record("NegBackward0", t);
        Tensor out = Strided.result(rt, t);
        return r.gradient(0, g -> neg(rt, g)).again().output(out);
    }

    public static Tensor mulInPlace(EagerRuntime rt, Tensor self, Tensor other) {
        Recorder r = rt.record("MulBackward0", self, other);
        Saved o = r.saveIf(r.needs(0), other);
        Saved s = Copies.saveIf(r.needs(1), r, rt, self, true);
        return r.gradient(1, g -> mul(rt, g, s.get()))
                .gradient(0, g -> mul(rt, g, o.get()))
                .again()
                .output(self);
    }

    /** {@code div(Tensor, Scalar)}: keeps nothing. */
    public static Tensor divByNumber(EagerRuntime rt, Tensor a, Tensor number) {
        Recorder r = rt.record("DivBackward1", a);
        Tensor out = Strided.result(rt, a.dtype(), a);
        return r.gradient(0, g -> divByNumber(rt, g, number)).again().output(out);
    }

    public static Tensor div(EagerRuntime rt, Tensor a, Tensor b) {
        Recorder r = rt.record("DivBackward0", a, b);
        DType type = Strided.floating(Strided.promote(a, b));
        Saved other = r.save(b);
        Saved self = r.saveIf(r.needs(1), a);
        Tensor out = Strided.result(rt, type, a, b);
        return r.gradient(1, g -> divOtherGrad(rt, g, self.get(), other.get()))
                .gradient(0, g -> div(rt, g, other.get()))
                .again()
                .output(out);
    }

    /** FunctionsManual.cpp, div_tensor_other_grad: {@code -grad * ((self / other) / other)}. */
    private static Tensor divOtherGrad(EagerRuntime rt, Tensor g, Tensor self, Tensor other) {
        Tensor quotient = div(rt, self, other);
        Tensor again = div(rt, quotient, other);
        Tensor negated = neg(rt, g);
        Tensor out = mul(rt, negated, again);
        rt.free(negated);
        rt.free(again);
        rt.free(quotient);
        return out;
    }

    public static Tensor divInPlace(EagerRuntime rt, Tensor self, Tensor other) {
        Recorder r = rt.record("DivBackward0", self, other);
        Saved o = r.save(other);
        Saved s = Copies.saveIf(r.needs(1), r, rt, self, true);
        return r.gradient(1, g -> divOtherGrad(rt, g, s.get(), o.get()))
                .gradient(0, g -> div(rt, g, o.get()))
                .again()
                .output(self);
    }

    /** {@code pow} with a number as exponent (FunctionsManual.cpp, pow_backward). */
    public static Tensor pow(EagerRuntime rt, Tensor self, double exponent, DType type) {
        return Unary.apply(
                rt, "PowBackward0", self, Unary.Keep.SELF, powGradient(exponent), false, type, powAgain(exponent));
    }

    public static Tensor powInPlace(EagerRuntime rt, Tensor self, double exponent) {
        return Unary.apply(
                rt,
                "PowBackward0",
                self,
                Unary.Keep.SELF,
                powGradient(exponent),
                true,
                self.dtype(),
                powAgain(exponent));
    }

    /** {@code grad * (exponent * self.pow(exponent - 1))}. */
    private static Unary.Again powAgain(double exponent) {
        return (rt, g, x) -> {
            if (exponent == 0) {
                return rt.emptyLike(g);
            }
            Tensor power = pow(rt, x, exponent - 1, x.dtype());
            Tensor slope = mul(rt, power, number(rt));
            rt.free(power);
            Tensor out = mul(rt, g, slope);
            rt.free(slope);
            return out;
        };
    }

    private static Unary.Gradient powGradient(double exponent) {
        return exponent == 0.0 ? Unary.ZEROS : (f, g, x) -> f.op(g, f.op(f.op(x)));
    }
}
