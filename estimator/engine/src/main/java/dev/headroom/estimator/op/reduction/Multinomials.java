package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.core.ReduceScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * {@code multinomial} (ATen/native/Distributions.cpp, multinomial_out): the largest of weights over random numbers;
 * with replacement, where random numbers fall into running sums (cuda/MultinomialKernel.cu).
 */
final class Multinomials {
    /** Bytes of the accumulator of a search for the largest: a value and its place. */
    private static final int PLACED = 16;

    private Multinomials() {}

    static void register(Registry r) {
        r.single("aten.multinomial", c -> NoGrad.call(c.runtime(), () -> drawn(new Body(c.runtime(), r), c)));
    }

    private static Tensor drawn(Body b, Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long draws = c.integer("num_samples");
        long[] sizes = t.sizes().clone();
        sizes[t.dim() - 1] = draws;
        Tensor out = rt.empty(DType.INT64, sizes);
        if (c.flag("replacement", false) && draws > 1) {
            fallen(rt, t);
        } else if (t.numel() > 0) {
            largest(b, t, sizes);
        }
        return out;
    }

    private static void largest(Body b, Tensor t, long[] sizes) {
        EagerRuntime rt = b.runtime();
        int last = t.dim() - 1;
        Tensor[] ends = rt.options().torch().multinomialReadsBothEnds() ? b.all("aminmax", t) : new Tensor[0];
        b.giveAll(ends);
        b.let(valid(b, t, ends));
        Tensor sum = last == 0 ? b.call("sum", t) : b.call("sum.dim_IntList", t, new long[] {1});
        Tensor none = b.call("eq.Scalar", sum, 0);
        Tensor zero = b.let(last == 0 ? none : b.call("any", none));
        b.call("bitwise_not", zero);
        b.end();
        Tensor weights = b.let(b.call("empty_like", t));
        if (sizes[last] == 1) {
            ReduceScratch.use(rt, weights, Reductions.mask(new long[] {last}, t.dim()), DType.INT64.bytes(), PLACED);
        } else {
            b.let(b.made(rt.empty(t.dtype(), sizes)));
            Selections.search(rt, weights, last, sizes[last]);
        }
        b.giveAll();
        rt.freeAll(List.of(ends));
    }

    /** Whether weights are finite and not negative. */
    private static Tensor valid(Body b, Tensor t, Tensor... ends) {
        if (ends.length > 0) {
            return b.call("bitwise_and.Tensor", b.call("ge.Scalar", ends[0], 0), b.call("lt.Scalar", ends[1], 0));
        }
        Tensor finite = b.call("lt.Scalar", b.call("max", t), 0);
        return b.call("bitwise_and.Tensor", finite, b.call("ge.Scalar", b.call("min", t), 0));
    }

    /** The weights, in parts of one and summed up. */
    private static void fallen(EagerRuntime rt, Tensor t) {
        Tensor weights = rt.empty(t.dtype(), t.sizes());
        Tensor parts = rt.empty(t.dtype(), t.sizes());
        Tensor sums = rt.empty(t.dtype(), t.sizes());
        ScanRules.scan(rt, parts, t.dtype(), t.dim() - 1);
        rt.free(sums);
        rt.free(parts);
        rt.free(weights);
    }
}
