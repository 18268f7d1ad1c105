package dev.headroom.executor.op.reduction;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/**
 * {@code multinomial} without replacement, or of one draw: the largest of weights, each over a random number
 * (aten/src/ATen/native/Distributions.cpp, multinomial_out).
 */
public final class Multinomials {
    private static final Formula RACE =
            new Formula("race", "y0 = x1 / -log1p(-x0);", (x, s, y) -> y[0] = x[1] / -Math.log1p(-x[0]));

    private Multinomials() {}

    public static void register(Operators o) {
        o.add1("aten.multinomial", Multinomials::drawn);
    }

    private static Tensor drawn(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long draws = a.integer("num_samples", 1);
        if (a.flag("replacement", false) && draws > 1) {
            throw new UserInputException("multinomial with replacement is not supported by the executor; leave it out,"
                    + " or draw one number");
        }
        int last = x.dims() - 1;
        long[] sizes = x.sizes().clone();
        sizes[last] = draws;
        Tensor out = e.empty(DType.INT64, sizes);
        if (x.elements() > 0) {
            race(e, x, out, last);
        }
        return out;
    }

    private static void race(Eager e, Tensor x, Tensor out, int last) {
        Tensor[] ends = Reductions.ends(e, x, ReducedDimensions.kept(x.sizes(), new long[0]));
        try (Scope s = e.open()) {
            lookAt(e, x, last);
            Tensor weights = e.emptyLike(x);
            e.backend().random().uniform(weights, 0, 1, e.randomness().next());
            Elementwise.into(e, RACE, weights, weights, x);
            if (out.size(last) == 1) {
                Reductions.extremes(e, Kind.MAX, null, out, weights, last);
            } else {
                Tensor values = e.empty(x.dtype(), out.sizes());
                LongLines.search(e, weights, last, out.size(last));
                e.backend().reductions().sort(values, out, weights, last, true);
            }
        }
        e.free(ends[0]); // results of one function go in their order
        e.free(ends[1]);
    }

    /** What tells whether weights are positive, finite, and not all zero. */
    private static void lookAt(Eager e, Tensor x, int last) {
        Tensor positive = e.empty(DType.BOOL);
        Tensor finite = e.empty(DType.BOOL);
        e.empty(DType.BOOL);
        e.free(finite);
        e.free(positive);
        long[] kept = ReducedDimensions.kept(x.sizes(), new long[] {last});
        Tensor sums = Reductions.sum(e, x, kept, x.dtype());
        Tensor none = e.empty(DType.BOOL, kept);
        if (last > 0) {
            e.empty(DType.BOOL);
            e.free(none);
        }
        e.free(sums);
        e.free(e.empty(DType.BOOL));
    }
}
