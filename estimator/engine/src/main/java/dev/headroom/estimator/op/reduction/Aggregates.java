package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Extrema;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/** Sums, means, deviations, extrema, norms (ATen/native/ReduceOps.cpp, LinearAlgebra.cpp). */
final class Aggregates {
    private Aggregates() {}

    static boolean floating(Tensor t) {
        return t.dtype().isFloatingPoint() || t.dtype().isComplex();
    }

    static boolean keep(Call c) {
        return c.flag("keepdim", false);
    }

    static Tensor logical(Call c) {
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        return Reductions.reduce(c.runtime(), t, mask, keep(c), DType.BOOL, 1);
    }

    static Tensor indices(Call c) {
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        return Reductions.reduce(c.runtime(), t, mask, keep(c), DType.INT64, 16);
    }

    static Tensor countNonzero(Call c) {
        Formula f = new Formula(c.runtime());
        Tensor nonzero = f.test(c.tensor("self"));
        Tensor out = Reductions.sum(c.runtime(), nonzero, c.integersOrNull("dim"), false, DType.INT64);
        c.runtime().free(nonzero);
        return out;
    }

    static Tensor nansum(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        Recorder r = rt.record("NansumBackward0", t);
        Saved self = r.save(t);
        Tensor out = Reductions.reduce(rt, t, mask, keep(c), t.dtype(), Reductions.accumulator(t.dtype()));
        boolean kept = keep(c);
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor wide = Reductions.expandBack(rt, g, self.get().sizes(), mask, kept);
                    return f.op(wide, f.test(f.test(self.get())));
                })
                .output(out);
    }

    /** FunctionsManual.cpp, scale_grad_by_count: the gradient goes to all that are equal, in equal parts. */
    private static Tensor shared(EagerRuntime rt, Tensor g, Tensor self, Tensor result, boolean[] mask, boolean kept) {
        Formula f = new Formula(rt);
        Tensor value = kept ? result : Reductions.restored(rt, result, mask);
        Tensor grad = kept ? g : Reductions.restored(rt, g, mask);
        Tensor equal = f.test(self, value);
        Tensor count = Reductions.counted(rt, equal, mask);
        return f.op(f.op(grad, count), equal);
    }

    static Tensor extremum(Call c, String node, long @Nullable [] dims) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(dims, t.dim());
        Recorder r = rt.record(node, t);
        Saved self = r.save(t);
        Tensor out =
                Reductions.reduce(rt, t, mask, keep(c), t.dtype(), t.dtype().bytes());
        Saved result = r.saveOutput(out);
        boolean kept = keep(c);
        return r.gradient(0, g -> shared(rt, g, self.get(), result.get(), mask, kept))
                .output(out);
    }

    /** evenly_distribute_backward: values that are not numbers count as equal when the result is none. */
    static Tensor extremumOfAll(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(null, t.dim());
        Recorder r = rt.record("MaxBackward1", t);
        Saved self = r.save(t);
        Tensor out = Reductions.reduce(rt, t, mask, false, t.dtype(), t.dtype().bytes());
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> evenly(rt, g, self.get(), result.get())).output(out);
    }

    /** FunctionsManual.cpp, evenly_distribute_backward. */
    static Tensor evenly(EagerRuntime rt, Tensor g, Tensor self, Tensor result) {
        Formula f = new Formula(rt);
        f.test(self, self);
        f.test(result, result);
        Tensor equal = f.test(self, result);
        Tensor count = Reductions.sum(rt, equal, null, false, DType.INT64);
        return f.op(f.op(g, count), equal);
    }

    static Tensor[] aminmax(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        if (t.dim() == 0 && c.has("dim")) {
            throw new NoRule("extrema of a number along a dimension");
        }
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        boolean kept = keep(c);
        Recorder r = rt.record("AminmaxBackward0", t);
        Saved self = r.save(t);
        Tensor[] ends = Extrema.both(rt, t, mask, kept);
        Tensor min = ends[0];
        Tensor max = ends[1];
        Saved[] results = {r.saveOutput(min), r.saveOutput(max)};
        r.gradients(grads -> {
                    Tensor sum = null;
                    for (int i = 0; i < 2; i++) {
                        if (grads[i] != null) {
                            Tensor part;
                            try (var formula = rt.frame()) {
                                part = formula.keep(shared(rt, grads[i], self.get(), results[i].get(), mask, kept));
                            }
                            sum = sum == null ? part : Pointwise.opFreeing(rt, sum, part);
                        }
                    }
                    return new Tensor[] {sum};
                })
                .output(min);
        r.output(max);
        return new Tensor[] {min, max};
    }

    /** logsumexp: the maximum, where it is infinite zero; exponentials of the differences; their sum. */
    static Tensor logSumExp(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        boolean kept = keep(c);
        Recorder r = rt.record("LogsumexpBackward0", t);
        Saved self = r.save(t);
        Tensor out = t.numel() == 0
                ? Reductions.reduce(rt, t, mask, kept, t.dtype(), Reductions.accumulator(t.dtype()))
                : sumOfPowers(rt, t, mask, kept);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor grad = kept ? g : Reductions.restored(rt, g, mask);
                    Tensor value = kept ? result.get() : Reductions.restored(rt, result.get(), mask);
                    return f.op(grad, f.op(f.op(self.get(), value)));
                })
                .output(out);
    }

    /** Powers of the distances to the maximum. */
    private static Tensor sumOfPowers(EagerRuntime rt, Tensor t, boolean[] mask, boolean kept) {
        Tensor max = Reductions.reduce(rt, t, mask, true, t.dtype(), t.dtype().bytes());
        Tensor absolute = Pointwise.op(rt, max);
        Tensor infinite = Strided.result(rt, DType.BOOL, absolute);
        rt.free(infinite);
        rt.free(absolute);
        Tensor powers = Pointwise.op(rt, t, max);
        Tensor out = Reductions.reduce(rt, powers, mask, kept, t.dtype(), Reductions.accumulator(t.dtype()));
        rt.free(powers);
        rt.free(max);
        return out;
    }

    /** {@code diff}: two slices an order, of the input with what is put before and after it; of order 0 a copy. */
    static Tensor diff(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        int d = Shapes.wrap(c.integer("dim", -1), t.dim());
        Tensor before = c.tensorOrNull("prepend");
        Tensor after = c.tensorOrNull("append");
        if (c.integer("n", 1) == 0) {
            return Copies.copyInto(rt, rt.emptyLike(t), t);
        }
        Tensor whole = t;
        if (before != null || after != null) {
            int n = 1 + (before == null ? 0 : 1) + (after == null ? 0 : 1);
            Tensor[] all = new Tensor[n];
            int k = 0;
            if (before != null) {
                all[k++] = before;
            }
            all[k++] = t;
            if (after != null) {
                all[k] = after;
            }
            whole = Joining.cat(rt, d, all);
        }
        Tensor out = whole;
        for (long i = Math.min(c.integer("n", 1), whole.size(d)); i > 0; i--) {
            Tensor earlier = Views.slice(rt, out, d, 0, out.size(d) - 1, 1);
            Tensor later = Views.slice(rt, out, d, 1, Long.MAX_VALUE, 1);
            Tensor difference = Pointwise.sub(rt, later, earlier);
            rt.free(later);
            rt.free(earlier);
            if (out != whole) {
                rt.freeUnless(out, t);
            }
            out = difference;
        }
        if (out != whole) {
            rt.freeUnless(whole, t);
        }
        return out;
    }
}
