package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Binary;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.RecordedFormulas;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/** Clamping, selection by a mask, powers, linear interpolation and fused multiply-add. */
public final class Blending {
    private Blending() {}

    /** {@code where(self > min && self < max, grad, scalar_tensor(0))}. */
    static Tensor clamp(Call c, Registry rules, String node, boolean inPlace) {
        int bounds = (c.has("min") ? 1 : 0) + (c.has("max") ? 1 : 0);
        Tensor x = c.tensor("self");
        return Unary.apply(
                c.runtime(),
                node,
                x,
                Unary.Keep.SELF,
                clampGradient(bounds),
                inPlace,
                promoted(c, x),
                RecordedFormulas.of(rules, bounds == 2 ? "ClampBackward1" : "ClampBackward"));
    }

    public static Unary.Gradient clampGradient(int bounds) {
        return (f, g, s) -> {
            f.runtime().empty(g.dtype());
            Tensor condition = f.test(s);
            if (bounds == 2) {
                f.test(s);
            }
            return f.where(condition, g);
        };
    }

    /** {@code masked_fill}: a copy without gaps (TensorAdvancedIndexing.cpp, clone(Contiguous)); so is the gradient. */
    public static Tensor maskedFill(EagerRuntime rt, Tensor t, Tensor m, boolean inPlace) {
        Recorder r = rt.record("MaskedFillBackward0", t);
        Saved mask = r.save(m);
        Tensor out = inPlace ? t : rt.empty(t.dtype(), Shapes.broadcast(t.sizes(), m.sizes()));
        return r.gradient(0, g -> maskedFill(rt, g, mask.get(), false)).again().output(out);
    }

    private static DType promoted(Call c, Tensor x) {
        DType type = x.dtype();
        for (String bound : new String[] {"min", "max"}) {
            if (c.has(bound)) {
                type = Strided.join(type, Strided.promote(x, c.tensor(bound)));
            }
        }
        return type;
    }

    static Tensor lerp(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("end");
        Recorder r = rt.record("LerpBackward0", a, b);
        Tensor out = inPlace ? a : Strided.result(rt, a, b);
        return r.gradient(1, g -> Pointwise.op(rt, g))
                .gradient(0, g -> Pointwise.op(rt, g))
                .output(out);
    }

    static Tensor lerpTensor(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("end");
        Tensor w = c.tensor("weight");
        Recorder r = rt.record("LerpBackward1", a, b, w);
        Saved end = r.saveIf(r.needs(2), b);
        Saved self = Copies.saveIf(r.needs(2), r, rt, a, inPlace);
        Saved weight = r.save(w);
        Tensor out = inPlace ? a : Strided.result(rt, a, b, w);
        Formula f = new Formula(rt);
        return r.gradient(1, g -> f.op(g, weight.get()))
                .gradient(0, g -> f.op(g, f.op(weight.get())))
                .gradient(2, g -> f.op(g, f.op(end.get(), self.get())))
                .output(out);
    }

    static Tensor addcmul(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor a = c.tensor("tensor1");
        Tensor b = c.tensor("tensor2");
        Recorder r = rt.record("AddcmulBackward0", x, a, b);
        Saved first = r.saveIf(r.needs(2), a);
        Saved second = r.saveIf(r.needs(1), b);
        Tensor out = inPlace ? x : Strided.result(rt, x, a, b);
        Formula f = new Formula(rt);
        return r.gradient(0, g -> g)
                .gradient(1, g -> f.op(g, f.op(second.get())))
                .gradient(2, g -> f.op(g, f.op(first.get())))
                .output(out);
    }

    static Tensor addcdiv(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor a = c.tensor("tensor1");
        Tensor b = c.tensor("tensor2");
        Recorder r = rt.record("AddcdivBackward0", x, a, b);
        Saved first = r.saveIf(r.needs(2), a);
        Saved second = r.save(b);
        Tensor out = inPlace ? x : Strided.result(rt, x, a, b);
        Formula f = new Formula(rt);
        return r.gradient(0, g -> g)
                .gradient(1, g -> f.op(g, f.op(second.get())))
                .gradient(2, g -> {
                    Tensor square = f.op(second.get(), second.get());
                    Tensor ratio = f.op(f.op(first.get()), square);
                    return f.op(f.op(g), ratio);
                })
                .output(out);
    }

    /** {@code where}: gradients are {@code where(condition, grad, 0)}, the number a tensor of its own. */
    static Tensor where(EagerRuntime rt, Tensor condition, Tensor a, Tensor b) {
        Recorder r = rt.record("WhereBackward0", a, b);
        Saved mask = r.save(condition);
        Tensor out = Strided.result(rt, Strided.promote(a, b), condition, a, b);
        Recorder.InputGradient gradient = g -> {
            Tensor zero = rt.empty(g.dtype());
            Tensor chosen = Strided.result(rt, g.dtype(), mask.get(), g, zero);
            rt.free(zero);
            return chosen;
        };
        return r.gradient(1, gradient).gradient(0, gradient).output(out);
    }

    /** Numbers in host memory are copied to the device first (ATen/native/TensorCompare.cpp, where_self_out). */
    static Tensor whereTensors(EagerRuntime rt, Tensor condition, Tensor a, Tensor b) {
        Tensor x = a.onDevice() || a.isWrappedNumber() ? a : rt.empty(a.dtype(), a.sizes());
        Tensor y = b.onDevice() || b.isWrappedNumber() ? b : rt.empty(b.dtype(), b.sizes());
        Tensor out = where(rt, condition, x, y);
        rt.freeUnless(y, b);
        rt.freeUnless(x, a);
        return out;
    }

    /** ATen/native/TensorCompare.cpp: numbers become tensors of the result's type on the device. */
    static Tensor whereScalar(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor self = c.tensor("self");
        Tensor other = c.tensor("other");
        DType type = Strided.promote(self, other);
        Tensor b = other.isWrappedNumber() ? rt.empty(type) : Copies.to(rt, other, type);
        Tensor a = self.isWrappedNumber() ? rt.empty(type) : Copies.to(rt, self, type);
        Tensor out = where(rt, c.tensor("condition"), a, b);
        for (Tensor t : new Tensor[] {a, b}) {
            if (t != self && t != other) {
                rt.free(t);
            }
        }
        return out;
    }

    /** FunctionsManual.cpp, pow_backward_self and pow_backward_exponent. */
    static Tensor powTensor(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("exponent");
        Binary.Term self = new Binary.Term("so", (f, g, s, o, y) -> {
            Tensor scaled = f.op(g, f.op(o, f.op(s, f.op(o))));
            Tensor zero = rt.empty(g.dtype());
            return f.where(f.test(o), scaled, zero);
        });
        Binary.Term exponent = new Binary.Term("sor", (f, g, s, o, y) -> {
            Tensor positive = f.test(o);
            Tensor zeroBase = f.test(s);
            Tensor condition = f.test(positive, zeroBase);
            rt.free(zeroBase);
            rt.free(positive);
            Tensor product = f.op(y, f.op(s));
            Tensor zero = rt.empty(g.dtype());
            return f.op(g, f.where(condition, zero, product));
        });
        return new Binary("PowBackward1", self, exponent).apply(rt, a, b, Strided.promote(a, b), inPlace);
    }

    static Tensor powScalar(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor exponent = c.tensor("exponent");
        Recorder r = rt.record("PowBackward2", exponent);
        r.save(exponent);
        Formula f = new Formula(rt);
        DType type = Strided.promote(c.tensor("self"), exponent);
        Tensor out = Strided.result(rt, type, exponent);
        rt.free(rt.empty(DType.FLOAT64));
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> f.op(g, f.op(result.get()))).output(out);
    }
}
