package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Formulas of functions of two tensors that are more than a row. */
final class BinaryFunctions {
    private BinaryFunctions() {}

    /** FunctionsManual.cpp, atan2_backward: both gradients from one reciprocal of the sum of squares. */
    static Tensor atan2(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Recorder r = rt.record("Atan2Backward0", a, b);
        Saved self = r.save(a);
        Saved other = r.save(b);
        Tensor out = Strided.result(rt, Strided.floating(Strided.promote(a, b)), a, b);
        return r.gradients(grads -> {
                    Formula f = new Formula(rt);
                    Tensor first = f.op(other.get(), other.get());
                    Tensor second = f.op(self.get(), self.get());
                    Tensor sum = f.op(first, second);
                    rt.free(second);
                    rt.free(first);
                    Tensor reciprocal = f.op(sum);
                    rt.free(f.test(sum));
                    Tensor[] both = new Tensor[2];
                    if (r.needs(0)) {
                        both[0] = f.op(grads[0], f.op(other.get(), reciprocal));
                    }
                    if (r.needs(1)) {
                        both[1] = f.op(grads[0], f.op(f.op(self.get()), reciprocal));
                    }
                    return both;
                })
                .output(out);
    }

    /** {@code self * 2 ** other}; the power is a tensor where it can have a gradient. */
    static Tensor ldexp(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Recorder r = rt.record("LdexpBackward0", a, b);
        Saved other = r.saveIf(r.needs(0), b);
        Formula f = new Formula(rt);
        Tensor power = b.dtype().isFloatingPoint() ? powScalar(f, b) : null;
        Tensor out = a;
        if (!inPlace) {
            out = power == null ? Strided.result(rt, Strided.floating(a.dtype()), a, b) : f.op(a, power);
        }
        rt.free(power);
        Saved result = r.needs(1) ? r.saveOutput(out) : r.save(null);
        return r.gradient(1, g -> {
                    Tensor product = f.op(g, result.get());
                    Tensor scaled = f.op(product);
                    rt.free(product);
                    return scaled;
                })
                .gradient(0, g -> {
                    Tensor two = Strided.result(rt, Strided.floating(other.get().dtype()), other.get());
                    rt.free(rt.empty(DType.FLOAT64));
                    Tensor product = f.op(g, two);
                    rt.free(two);
                    return product;
                })
                .output(out);
    }

    static Tensor copysign(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Recorder r = rt.record("CopysignBackward0", a, b);
        Saved self = r.saveIf(r.needs(0), a);
        Tensor out = Strided.result(rt, Strided.floating(Strided.promote(a, b)), a, b);
        Saved result = r.needs(0) ? r.saveOutput(out) : r.save(null);
        long[] sizes = b.sizes();
        return r.gradient(1, g -> rt.empty(g.dtype(), sizes))
                .gradient(0, g -> copysignSelf(new Formula(rt), g, self.get(), b, result.get()))
                .output(out);
    }

    /** FunctionsManual.cpp, copysign_tensor_self_backward: {@code result / self} with a zero where self is. */
    static Tensor copysignSelf(Formula f, Tensor g, Tensor s, Tensor o, Tensor y) {
        Tensor ratio = f.op(y, s);
        f.runtime().free(f.test(s));
        return f.op(g, ratio);
    }

    /** {@code pow(Scalar, Tensor)}: the base becomes a float64 on the device (ATen/native/Pow.cpp). */
    static Tensor powScalar(Formula f, Tensor exponent) {
        Tensor out = f.op(exponent);
        f.runtime().free(f.runtime().empty(DType.FLOAT64));
        return out;
    }

    /** The gradient is that of the first operand where both differ. */
    static Tensor nextAfter(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Recorder r = rt.record("NextafterBackward0", a, b);
        Saved other = r.saveIf(r.needs(0), b);
        Saved self = Copies.saveIf(r.needs(0), r, rt, a, inPlace);
        Tensor out = inPlace ? a : Strided.result(rt, a, b);
        long[] sizes = b.sizes();
        return r.gradient(1, g -> rt.empty(g.dtype(), sizes))
                .gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor differ = f.test(self.get(), other.get());
                    return f.where(differ, g, rt.empty(g.dtype()));
                })
                .output(out);
    }
}
