package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code quantile} and {@code nanquantile} (aten/src/ATen/native/Sorting.cpp, quantile_compute): ranks in double
 * precision, one or two sorted elements for each, and what lies between them.
 */
public final class Quantiles {
    private Quantiles() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.quantile", (c, a) -> of(c, a, false));
        Calls.add(o, "aten.nanquantile", (c, a) -> of(c, a, true));
    }

    private static Tensor of(Calls c, Arguments a, boolean amongNumbers) {
        Eager e = c.e();
        Tensor x = a.tensor("self");
        Tensor q = a.isTensor("q") ? a.tensor("q") : e.empty(x.dtype());
        if (!a.isTensor("q")) {
            Elementwise.fill(e, q, a.real("q", 0));
        }
        Tensor rows = Ranks.rows(c, a, x);
        Tensor ranks = e.call(() -> amongNumbers ? Ranks.ofNumbers(c, rows, q) : Ranks.ofAll(c, rows, q));
        String way = a.text("interpolation", "linear");
        Tensor values =
                switch (way) {
                    case "linear", "midpoint" -> between(c, rows, ranks, way.equals("midpoint"));
                    default -> at(c, rows, Ranks.rounded(c, ranks, way));
                };
        return q.dims() == 0
                ? Views.squeeze(e, values, -1)
                : Views.squeeze(e, Views.transpose(e, Views.unsqueeze(e, values, 0), 0, -1), -1);
    }

    private static Tensor at(Calls c, Tensor rows, Tensor ranks) {
        Tensor places = Copies.to(c.e(), ranks, DType.INT64);
        Tensor sorted = sorted(c, rows);
        Tensor out = c.call("gather", "self", sorted, "dim", -1, "index", places);
        c.e().free(sorted);
        return out;
    }

    private static Tensor between(Calls c, Tensor rows, Tensor ranks, boolean midpoint) {
        Eager e = c.e();
        Tensor below = Copies.to(e, ranks, DType.INT64);
        Tensor weights = e.call(() -> midpoint
                ? half(e, ranks, rows.dtype())
                : Copies.to(e, c.call("sub", "self", ranks, "other", below), rows.dtype()));
        Tensor above = Copies.to(e, c.call("ceil_", "self", ranks), DType.INT64);
        Tensor sorted = sorted(c, rows);
        Tensor out = c.call("gather", "self", sorted, "dim", -1, "index", below);
        Tensor end = c.call("gather", "self", sorted, "dim", -1, "index", above);
        c.call("lerp_", "self", out, "end", end, "weight", weights);
        e.free(sorted);
        return out;
    }

    private static Tensor half(Eager e, Tensor like, DType type) {
        Tensor out = e.emptyStrided(type, like.sizes(), Layout.preserved(like.sizes(), like.strides()));
        Elementwise.fill(e, out, 0.5);
        return out;
    }

    private static Tensor sorted(Calls c, Tensor rows) {
        Tensor[] both = c.several("sort", "self", rows, "dim", -1);
        c.e().free(both[1]);
        return both[0];
    }
}
