package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** Which elements of sorted rows quantiles are: ranks in double precision. */
final class Ranks {
    private Ranks() {}

    /** What is sorted comes last, after the sizes of a result for one quantile. */
    static Tensor rows(Calls c, Arguments a, Tensor x) {
        Eager e = c.e();
        boolean keep = a.flag("keepdim", false);
        if (!a.has("dim") || x.dims() == 0) {
            long[] sizes = new long[keep ? x.dims() + 1 : 1];
            Arrays.fill(sizes, 1);
            sizes[sizes.length - 1] = x.elements();
            return Views.view(e, c.call("flatten", "self", x), sizes);
        }
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        long[] others = Layout.removed(x.sizes(), dim);
        long[] reduced = keep ? Layout.inserted(others, dim, 1) : others;
        boolean last = dim == x.dims() - 1;
        Tensor lines = last ? x : Views.transpose(e, Views.unsqueeze(e, x, -1), dim, -1);
        return Views.view(e, lines, Layout.inserted(reduced, reduced.length, x.size(dim)));
    }

    /** Where an element is no number, the rank is that of the last element, which is none either when sorted. */
    static Tensor ofAll(Calls c, Tensor rows, Tensor q) {
        Eager e = c.e();
        long last = rows.size(-1) - 1;
        Tensor wide = Copies.to(e, q, DType.FLOAT64);
        Tensor ranks = c.call("mul", "self", wide, "other", last);
        Tensor unknown = c.call("isnan", "self", rows);
        Tensor any = c.call("any", "self", unknown, "dim", new long[] {-1}, "keepdim", true);
        long[] sizes = Layout.broadcast(ranks, any);
        Tensor every = Views.expand(e, ranks, sizes);
        Tensor mask = Views.expand(e, any, sizes);
        e.free(any);
        e.free(unknown);
        e.free(ranks);
        e.freeUnless(wide, q);
        Tensor out = c.call("masked_fill", "self", every, "mask", mask, "value", last);
        e.free(every);
        e.free(mask);
        return out;
    }

    static Tensor ofNumbers(Calls c, Tensor rows, Tensor q) {
        Eager e = c.e();
        Tensor ranks = e.call(() -> {
            Tensor numbers = c.call("logical_not_", "self", c.call("isnan", "self", rows));
            Tensor count = c.call("sum", "self", numbers, "dim", new long[] {-1}, "keepdim", true);
            Tensor last = c.call("sub", "self", count, "other", 1);
            return c.call("mul", "self", Copies.to(e, q, DType.FLOAT64), "other", last);
        });
        return c.call("masked_fill_", "self", ranks, "mask", c.call("lt", "self", ranks, "other", 0), "value", 0);
    }

    static Tensor rounded(Calls c, Tensor ranks, String way) {
        String function = way.equals("lower") ? "floor_" : way.equals("higher") ? "ceil_" : "round_";
        return c.call(function, "self", ranks);
    }
}
