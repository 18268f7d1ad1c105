package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.elementwise.Blending;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Vector norms (ATen/native/LinearAlgebra.cpp; FunctionsManual.cpp, linalg_vector_norm_backward and norm_backward). */
public final class Norms {
    private Norms() {}

    /** {@code torch.linalg.vector_norm(t, dtype=type)} of all elements, without history. */
    public static Tensor ofAll(EagerRuntime rt, Tensor t, DType type) {
        boolean[] mask = Reductions.mask(new long[0], t.dim());
        return Reductions.reduce(rt, t, mask, false, type, Reductions.accumulator(t.dtype()));
    }

    static Tensor vector(Call c, long @Nullable [] dims) {
        Tensor t = c.tensor("self", "A");
        double order = c.has("ord") && c.textOrNull("ord") == null ? c.number("ord", 2) : c.number("p", 2);
        return vector(c.runtime(), t, c.type("dtype", t.dtype()), order, dims, c.flag("keepdim", false));
    }

    static Tensor vector(EagerRuntime rt, Tensor t, double order, long @Nullable [] dims, boolean kept) {
        return vector(rt, t, t.dtype(), order, dims, kept);
    }

    /** @param type that the norm is computed in and comes in: float32 under autocast */
    static Tensor vector(EagerRuntime rt, Tensor t, DType type, double order, long @Nullable [] dims, boolean kept) {
        boolean[] mask = Reductions.mask(dims, t.dim());
        Recorder r = rt.record("LinalgVectorNormBackward0", t);
        Saved self = r.save(t);
        Tensor out = Reductions.reduce(rt, t, mask, kept, type, Reductions.accumulator(t.dtype()));
        Saved result = r.saveOutput(out);
        r.gradient(0, g -> backward(rt, g, self.get(), result.get(), order, mask, kept));
        if (order == 2) {
            r.again(grads -> new Tensor[] {recorded(rt, grads[0], self.get(), result.get(), mask, kept)});
        }
        return r.output(out);
    }

    /** {@code grad * (self / norm).masked_fill_(norm == 0, 0)}. */
    private static Tensor recorded(
            EagerRuntime rt, Tensor g0, Tensor self, Tensor norm0, boolean[] mask, boolean kept) {
        Tensor g = kept ? g0 : Reductions.restored(rt, g0, mask);
        Tensor norm = kept ? norm0 : Reductions.restored(rt, norm0, mask);
        Tensor zero = new Formula(rt).test(norm);
        Tensor ratio = Blending.maskedFill(rt, Pointwise.div(rt, self, norm), zero, true);
        return Pointwise.mul(rt, g, ratio);
    }

    static @Nullable Tensor backward(
            EagerRuntime rt, Tensor g0, Tensor self, Tensor norm0, double order, boolean[] mask, boolean kept) {
        Formula f = new Formula(rt);
        Tensor g = kept ? g0 : Reductions.restored(rt, g0, mask);
        Tensor norm = kept ? norm0 : Reductions.restored(rt, norm0, mask);
        if (order == 0) {
            return null;
        }
        if (order == 1) {
            return f.op(f.op(self), g);
        }
        if (order == 2) {
            Tensor ratio = f.op(self, norm);
            f.test(norm);
            return f.op(g, ratio);
        }
        if (Double.isInfinite(order)) {
            Tensor absolute = f.op(self);
            Tensor equal = f.test(absolute, norm);
            Tensor none = f.test(absolute);
            Tensor mask0 = f.test(equal, none);
            rt.free(none);
            rt.free(equal);
            Tensor share = f.op(g, Reductions.counted(rt, mask0, mask));
            Tensor spread = f.op(share, mask0);
            return f.op(f.op(self), spread);
        }
        Tensor power = f.op(self);
        Tensor below = order < 1 ? f.test(self) : null;
        Tensor sign = order < 2 ? f.op(self) : self;
        Tensor scaled = f.op(sign, power);
        rt.freeUnless(sign, self);
        rt.free(below);
        rt.free(power);
        Tensor normPower = f.op(norm);
        if (order < 1) {
            return f.op(f.op(scaled, g), normPower);
        }
        Tensor scale = f.op(g, normPower);
        rt.free(normPower);
        rt.free(f.test(norm));
        return f.op(scaled, scale);
    }
}
