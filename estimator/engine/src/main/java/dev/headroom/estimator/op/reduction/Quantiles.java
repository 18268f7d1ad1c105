package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/**
 * {@code quantile} and {@code nanquantile} (ATen/native/Sorting.cpp, quantile_compute, in the order of PyTorch 2.14 as
 * recorded): ranks in double precision, then the values are sorted along the dimension, or all of them, and one or two
 * are taken for each rank.
 */
final class Quantiles {
    private Quantiles() {}

    static void register(Registry r) {
        r.single("aten.quantile", c -> of(new Body(c.runtime(), r), c, false));
        r.single("aten.nanquantile", c -> of(new Body(c.runtime(), r), c, true));
    }

    private static Tensor of(Body b, Call c, boolean amongNumbers) {
        Tensor x = c.tensor("self");
        Tensor q = c.isTensor("q") ? c.tensor("q") : b.let(b.made(c.runtime().empty(x.dtype())));
        boolean midpoint = c.text("interpolation", "linear").equals("midpoint");
        boolean two = midpoint || c.text("interpolation", "linear").equals("linear");
        Tensor rows = rows(b, c, x);
        Tensor ranks = b.let(amongNumbers ? Ranks.ofNumbers(b, rows, q) : Ranks.ofAll(b, rows, q));
        Tensor below = b.let(b.call("to.dtype", ranks, DType.INT64));
        Tensor weights = midpoint ? b.let(b.made(c.runtime().emptyLike(ranks, x.dtype()))) : below;
        Tensor above = below;
        if (two && !midpoint) {
            Tensor part = b.call("sub.Tensor", ranks, below);
            weights = b.let(x.dtype() == part.dtype() ? part : b.call("to.dtype", part, x.dtype()));
        }
        if (two) {
            above = b.let(b.call("to.dtype", b.call("ceil_", ranks), DType.INT64));
        }
        Tensor sorted = b.let(b.all("sort.default", rows, -1)[0]);
        Tensor values = b.let(b.call("gather", sorted, -1, below));
        if (two) {
            b.call("lerp_.Tensor", values, b.let(b.call("gather", sorted, -1, above)), weights);
        }
        Tensor out = q.dim() == 0
                ? b.call("squeeze.dim", values, -1)
                : b.call("squeeze.dim", b.call("transpose.int", b.call("unsqueeze", values, 0), 0, -1), -1);
        b.let(out);
        b.drop(sorted);
        return b.give(out);
    }

    /** What is sorted comes last, after the sizes of a result for one quantile. */
    private static Tensor rows(Body b, Call c, Tensor x) {
        boolean keep = c.flag("keepdim", false);
        if (!c.has("dim") || x.dim() == 0) {
            long[] ones = new long[keep ? x.dim() : 0];
            Arrays.fill(ones, 1);
            Tensor line = b.let(b.call("flatten.using_ints", x, 0, -1));
            return b.let(b.call("view", line, Dimensions.append(ones, x.numel())));
        }
        int dim = Shapes.wrap(c.integer("dim", 0), x.dim());
        long[] sizes = keep ? Dimensions.with(x.sizes(), dim, 1) : x.sizes();
        long[] reduced = Dimensions.without(sizes, keep ? dim + 1 : dim);
        Tensor lines =
                dim == x.dim() - 1 ? x : b.let(b.call("transpose.int", b.let(b.call("unsqueeze", x, -1)), dim, -1));
        return b.let(b.call("view", lines, Dimensions.append(reduced, x.size(dim))));
    }
}
