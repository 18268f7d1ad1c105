package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Ranks of quantiles in sorted rows, in double precision (ATen/native/Sorting.cpp, quantile_compute). */
final class Ranks {
    private Ranks() {}

    private static Tensor wide(Body b, Tensor q) {
        return q.dtype() == DType.FLOAT64 ? q : b.call("to.dtype", q, DType.FLOAT64);
    }

    static Tensor ofAll(Body b, Tensor rows, Tensor q) {
        Body pair = b.another();
        Tensor ranks = pair.call("mul.Scalar", wide(pair, q), rows.size(-1) - 1);
        Tensor unknown = pair.call("any.dim", pair.call("isnan", rows), -1, true);
        Tensor[] both = pair.all("broadcast_tensors", (Object) new Tensor[] {ranks, unknown});
        pair.giveAll(both);
        b.made(both[1]);
        b.made(both[0]);
        return b.call("masked_fill.Scalar", both[0], both[1], rows.size(-1) - 1);
    }

    static Tensor ofNumbers(Body b, Tensor rows, Tensor q) {
        Tensor numbers = b.call("logical_not_", b.call("isnan", rows));
        Tensor last = b.call("sub.Scalar", b.call("sum.dim_IntList", numbers, new long[] {-1}, true), 1);
        Tensor ranks = b.let(b.call("mul.Tensor", wide(b, q), last));
        return b.call("masked_fill_.Scalar", ranks, b.call("lt.Scalar", ranks, 0), 0);
    }
}
