package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Shapes;
import dev.headroom.shadow.Tensor;

/** Sums, means, extrema, scans. */
final class ReductionRules {
    private ReductionRules() {}

    static void register(Registry r) {
        r.single("aten.sum", c -> {
            Tensor t = c.tensor("self");
            DType type = c.type("dtype", t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64);
            return Reductions.sum(c.runtime(), t, c.integers("dim"), c.flag("keepdim", false), type);
        });
        r.single("aten.mean", c -> {
            Tensor t = c.tensor("self");
            return Reductions.mean(
                    c.runtime(), t, c.integers("dim"), c.flag("keepdim", false), c.type("dtype", t.dtype()));
        });
        r.single("aten.all", c -> logical(c));
        r.single("aten.any", c -> logical(c));
        r.single("aten.argmax", c -> indices(c));
        r.single("aten.argmin", c -> indices(c));
        r.single("aten.cumsum", ReductionRules::cumsum);
        r.single("aten.diff", ReductionRules::diff);
    }

    private static Tensor logical(Call c) {
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integers("dim"), t.dim());
        return Reductions.reduce(c.runtime(), t, mask, c.flag("keepdim", false), DType.BOOL, 1);
    }

    private static Tensor indices(Call c) {
        Tensor t = c.tensor("self");
        boolean[] mask = Reductions.mask(c.integers("dim"), t.dim());
        return Reductions.reduce(c.runtime(), t, mask, c.flag("keepdim", false), DType.INT64, 16);
    }

    /** {@code cumsum}: integers are first converted to int64 (ATen/native/cuda/ScanKernels.cpp). */
    private static Tensor cumsum(Call c) {
        Runtime rt = c.runtime();
        Tensor t = c.tensor("self");
        DType type = c.type("dtype", t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64);
        Recording r = rt.record("CumsumBackward0", t);
        Tensor out = rt.emptyLike(t, type);
        if (t.dtype() != type) {
            rt.free(rt.emptyLike(t, type));
        }
        if (r != null) {
            r.gradient(0, g -> {
                        // cumsum_backward: flip, cumsum, flip.
                        Tensor flipped = Pointwise.op(rt, g);
                        Tensor summed = Pointwise.opFreeing(rt, flipped);
                        return Pointwise.opFreeing(rt, summed);
                    })
                    .output(out);
        }
        return out;
    }

    /** {@code diff} of first order: two slices of the input, with what is put before and after it. */
    private static Tensor diff(Call c) {
        Runtime rt = c.runtime();
        Tensor t = c.tensor("self");
        int d = Shapes.wrap(c.integer("dim", -1), t.dim());
        Tensor before = c.tensorOrNull("prepend");
        Tensor after = c.tensorOrNull("append");
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
        for (long i = c.integer("n", 1); i > 0; i--) {
            Tensor later = Views.slice(rt, out, d, 1, Long.MAX_VALUE, 1);
            Tensor earlier = Views.slice(rt, out, d, 0, out.size(d) - 1, 1);
            Tensor difference = Pointwise.sub(rt, later, earlier);
            rt.free(later);
            rt.free(earlier);
            if (out != t) {
                rt.free(out);
            }
            out = difference;
        }
        return out;
    }
}
