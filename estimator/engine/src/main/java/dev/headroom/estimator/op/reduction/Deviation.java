package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Variances and standard deviations (ATen/native/ReduceOps.cpp, std_var_out; ReduceMomentKernel.cu). */
final class Deviation {
    /** Bytes of a WelfordData with float64 values. */
    private static final int WELFORD_DOUBLE = 32;

    private Deviation() {}

    static Tensor[] run(Call c, String node, boolean root, boolean withMean) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        boolean kept = c.flag("keepdim", false);
        Recorder r = rt.record(node, t);
        Saved self = r.save(t);
        double correction = c.has("unbiased") ? (c.flag("unbiased", true) ? 1 : 0) : c.number("correction", 1);
        int accumulator = t.dtype() == DType.FLOAT64 ? WELFORD_DOUBLE : Reductions.WELFORD;
        Tensor out;
        Tensor mean = null;
        if (withMean) {
            out = rt.empty(t.dtype(), Reductions.reduced(t.sizes(), mask, kept));
            mean = Reductions.reduce(rt, t, mask, kept, t.dtype(), accumulator);
        } else {
            out = Reductions.reduce(rt, t, mask, kept, t.dtype(), accumulator);
        }
        Saved result = root ? r.saveOutput(out) : null;
        boolean named = c.integersOrNull("dim") != null && t.dim() > 0; // then it divides by zero
        boolean free = named || t.numel() > correction;
        r.gradients(grads -> new Tensor[] {backward(rt, grads, self.get(), result, mask, kept, free)})
                .output(out);
        if (mean == null) {
            return new Tensor[] {out};
        }
        return new Tensor[] {out, r.output(mean)};
    }

    /**
     * FunctionsManual.cpp, var_backward, std_backward and var_mean_backward.
     *
     * @param free whether a degree of freedom is left, or nobody looks
     */
    private static @Nullable Tensor backward(
            EagerRuntime rt,
            Tensor[] grads,
            Tensor self,
            @Nullable Saved result,
            boolean[] mask,
            boolean kept,
            boolean free) {
        Formula f = new Formula(rt);
        Tensor out = null;
        if (grads[0] != null) {
            Tensor g = grads[0];
            if (result != null) {
                Tensor twice = f.op(result.get());
                Tensor variance = f.op(g, twice);
                rt.free(f.test(result.get()));
                rt.free(twice);
                g = variance;
            }
            boolean whole = whole(mask);
            Tensor grad = kept || whole ? g : Reductions.restored(rt, g, mask);
            Tensor mean = Reductions.reduce(rt, self, mask, !whole, self.dtype(), Reductions.accumulator(self.dtype()));
            if (free) {
                Tensor centred = f.op(self, mean);
                Tensor scaled = f.op(grad);
                out = f.op(scaled, centred);
                rt.free(scaled); // var_backward returns
                rt.free(centred);
                rt.free(mean);
                if (result != null) {
                    rt.free(g); // and so does std_backward
                }
            } else {
                out = f.op(grad, nanOrInfinite(rt, f, self, mean));
            }
        }
        if (grads.length > 1 && grads[1] != null) {
            Tensor wide = Reductions.expandBack(rt, grads[1], self.sizes(), mask, kept);
            Tensor part = f.op(wide);
            if (out == null) {
                return part;
            }
            Tensor sum = f.op(out, part);
            rt.free(out); // the variable takes the sum
            rt.free(part);
            return sum;
        }
        return out;
    }

    /** {@code where(self == mean, NaN, inf)}: either number is a scalar on the device. */
    private static Tensor nanOrInfinite(EagerRuntime rt, Formula f, Tensor self, Tensor mean) {
        Tensor equal = f.test(self, mean);
        Tensor infinite = rt.empty(self.dtype());
        Tensor nan = rt.empty(self.dtype());
        Tensor out = f.where(equal, nan, infinite);
        rt.free(nan);
        rt.free(infinite);
        return out;
    }

    private static boolean whole(boolean[] mask) {
        for (boolean m : mask) {
            if (!m) {
                return false;
            }
        }
        return true;
    }
}
