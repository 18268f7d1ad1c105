package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.Shapes;

/** Running products and logarithms of sums, averages over what is a number, trapezoids, medians of everything. */
public final class Products {
    private Products() {}

    public static void register(Registry r) {
        r.single("aten.cumprod", Products::cumprod);
        r.single("aten.logcumsumexp", Products::logcumsumexp);
        r.single("aten.prod.default", Products::product);
        r.single("aten.prod.dim_int", Products::productAlong);
        r.single("aten.nanmean", c -> nanmean(new Body(c.runtime(), r), c));
        r.single("aten.msort", c -> {
            Body b = new Body(c.runtime(), r);
            Tensor[] both = b.all("sort.stable", c.tensor("self"), false, 0, false);
            return b.give(both[0]);
        });
        r.single("aten.median.default", c -> median(new Body(c.runtime(), r), c, false));
        r.single("aten.nanmedian.default", c -> median(new Body(c.runtime(), r), c, true));
        r.add("aten.nanmedian.dim", c -> Selections.median(c, "NanmedianBackward1"));
        for (String name : new String[] {"trapezoid", "trapz"}) {
            r.single("aten." + name, c -> trapezoid(new Body(c.runtime(), r), c, false));
        }
        r.single("aten.cumulative_trapezoid", c -> trapezoid(new Body(c.runtime(), r), c, true));
        r.single("aten.linalg_vander", c -> vander(new Body(c.runtime(), r), c));
        r.single("aten.vander", c -> powers(new Body(c.runtime(), r), c));
    }

    private static boolean oneRow(Tensor t, int dim) {
        return t.dim() > 0 && t.numel() > 0 && t.numel() == t.size(dim);
    }

    /** A running kernel's result; it reads dense memory (ATen/native/cuda/ScanUtils.cuh, scan_dim). */
    static Tensor scanned(EagerRuntime rt, Tensor t, DType type, int dim) {
        Tensor out = rt.empty(type, t.sizes());
        Tensor dense = t.isContiguous() ? null : rt.empty(t.dtype(), t.sizes());
        if (oneRow(t, dim)) {
            rt.free(rt.scratch(CubScratch.scan(t.numel(), type)));
        }
        rt.free(dense);
        return out;
    }

    /** FunctionsManual.cpp, cumprod_backward, of values without zeros. */
    private static Tensor cumprod(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        int dim = Shapes.wrap(c.integer("dim"), Math.max(t.dim(), 1));
        Recorder r = rt.record("CumprodBackward0", t);
        Saved self = r.save(t);
        Tensor out = scanned(rt, t, c.type("dtype", t.dtype()), dim);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> {
                    if (g.numel() <= 1 || t.size(dim) == 1) {
                        return g;
                    }
                    Formula f = new Formula(rt);
                    Tensor weighted = f.op(result.get(), g);
                    Tensor zero = f.test(self.get());
                    rt.free(rt.empty(DType.BOOL));
                    Tensor flipped = rt.emptyLike(weighted);
                    Tensor summed = scanned(rt, flipped, g.dtype(), dim);
                    Tensor back = rt.emptyLike(summed);
                    rt.free(summed);
                    rt.free(flipped);
                    Tensor quotient = f.op(back, self.get());
                    rt.free(back);
                    rt.free(zero);
                    rt.free(weighted);
                    return quotient;
                })
                .output(out);
    }

    /** FunctionsManual.cpp, logcumsumexp_backward: positive and negative gradients apart. */
    private static Tensor logcumsumexp(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        int dim = Shapes.wrap(c.integer("dim"), Math.max(t.dim(), 1));
        Recorder r = rt.record("LogcumsumexpBackward0", t);
        Saved self = r.save(t);
        Tensor out = scanned(rt, t, t.dtype(), dim);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> {
                    if (g.dim() == 0 || g.numel() == 0) {
                        return g;
                    }
                    Formula f = new Formula(rt);
                    Tensor least = rt.empty(g.dtype());
                    Tensor absolute = f.op(g);
                    Tensor logs = f.op(absolute);
                    rt.free(absolute);
                    Tensor positive = where(f, g, logs, least);
                    Tensor negative = where(f, g, logs, least);
                    Tensor ofPositive = summedBack(f, positive, result.get(), self.get(), dim);
                    Tensor ofNegative = summedBack(f, negative, result.get(), self.get(), dim);
                    Tensor difference = f.op(ofPositive, ofNegative);
                    rt.free(ofNegative);
                    rt.free(ofPositive);
                    rt.free(negative);
                    rt.free(positive);
                    rt.free(logs);
                    rt.free(least);
                    return difference;
                })
                .output(out);
    }

    private static Tensor where(Formula f, Tensor g, Tensor logs, Tensor least) {
        Tensor sign = f.test(g);
        Tensor out = f.where(sign, logs, least);
        f.runtime().free(sign);
        return out;
    }

    private static Tensor summedBack(Formula f, Tensor logs, Tensor result, Tensor self, int dim) {
        EagerRuntime rt = f.runtime();
        Tensor difference = f.op(logs, result);
        Tensor flipped = rt.emptyLike(difference);
        Tensor summed = scanned(rt, flipped, flipped.dtype(), dim);
        Tensor back = rt.emptyLike(summed);
        rt.free(summed);
        rt.free(flipped);
        Tensor sum = f.op(back, self);
        Tensor out = f.op(sum);
        rt.free(sum);
        rt.free(back);
        rt.free(difference);
        return out;
    }

    private static DType type(Call c, Tensor t) {
        return c.type("dtype", t.dtype().isFloatingPoint() || t.dtype().isComplex() ? t.dtype() : DType.INT64);
    }

    /** FunctionsManual.cpp, prod_backward: the host looks for zeros, of which there are none here. */
    private static Tensor product(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record("ProdBackward0", t);
        Saved self = r.save(t);
        DType type = type(c, t);
        Tensor out =
                Reductions.reduce(rt, t, Reductions.mask(null, t.dim()), false, type, Reductions.accumulator(type));
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    if (self.get().dim() == 0) {
                        return g;
                    }
                    Tensor zero = f.test(self.get());
                    NonZeroScratch.use(rt, self.get().numel());
                    rt.free(zero);
                    Tensor ratio = f.op(self.get(), result.get());
                    return f.op(ratio, g);
                })
                .output(out);
    }

    private static Tensor productAlong(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        boolean kept = c.flag("keepdim", false);
        boolean[] mask = Reductions.mask(c.integersOrNull("dim"), t.dim());
        Recorder r = rt.record("ProdBackward1", t);
        Saved self = r.save(t);
        DType type = type(c, t);
        Tensor out = Reductions.reduce(rt, t, mask, kept, type, Reductions.accumulator(type));
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> {
                    if (self.get().dim() == 0) {
                        return g;
                    }
                    Formula f = new Formula(rt);
                    Tensor grad = kept ? g : Reductions.restored(rt, g, mask);
                    Tensor value = kept ? result.get() : Reductions.restored(rt, result.get(), mask);
                    Tensor zero = f.test(self.get());
                    Tensor count = Reductions.counted(rt, zero, mask);
                    rt.free(Reductions.sum(rt, count, null, false, DType.INT64));
                    return f.op(grad, f.op(value, self.get()));
                })
                .output(out);
    }

    private static Tensor nanmean(Body b, Call c) {
        Tensor x = c.tensor("self");
        Boolean keep = c.flag("keepdim", false);
        long[] dims = c.integersOrNull("dim");
        Tensor numbers = b.call("logical_not_", b.call("isnan", x));
        Tensor count = b.let(b.call("sum.dim_IntList", numbers, dims, keep));
        Tensor sum = b.call("nansum", x, dims, keep, c.type("dtype", x.dtype()));
        return b.give(b.call("div.Tensor", sum, count));
    }

    /**
     * {@code median(self)} and {@code nanmedian(self)}: everything is sorted, what is no number last and counted by the
     * latter (ATen/native/Sorting.cpp, median_impl); the gradient is shared by all that are equal to the median.
     */
    private static Tensor median(Body b, Call c, boolean amongNumbers) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record(amongNumbers ? "NanmedianBackward0" : "MedianBackward0", x);
        Saved self = r.save(x);
        boolean mode = rt.setGradMode(false);
        Tensor flat = b.call("flatten.using_ints", x, 0, -1);
        Tensor sorted = b.let(b.all("sort.default", flat, 0)[0]);
        if (amongNumbers) {
            Tensor last = b.op(b.call("sum", b.call("isnan", sorted)));
            b.let(b.call("to.dtype", b.call("div.Scalar", last, 2), DType.INT64));
        } else {
            b.test(rt.reinterpret(sorted, new long[0], new long[0], 0));
        }
        Tensor out = b.give(b.made(rt.empty(x.dtype())));
        rt.setGradMode(mode);
        Saved result = r.saveOutput(out);
        return r.gradient(0, g -> Aggregates.evenly(rt, g, self.get(), result.get()))
                .output(out);
    }

    private static Tensor trapezoid(Body b, Call c, boolean running) {
        Tensor y = c.tensor("y");
        int dim = Shapes.wrap(c.integer("dim", -1), y.dim());
        if (!c.has("x") && !running) {
            Tensor ends = b.call("add.Tensor", b.call("select.int", y, dim, 0), b.call("select.int", y, dim, -1));
            Tensor half = b.call("mul.Scalar", ends, 0.5);
            Tensor inner = b.call("sub.Tensor", b.call("sum.dim_IntList", y, new long[] {dim}), half);
            return b.give(b.call("mul.Scalar", inner, c.number("dx", 1)));
        }
        if (!c.has("x")) {
            Tensor sum = neighbours(b, y, dim);
            return b.give(b.call("cumsum", b.call("mul.Scalar", sum, c.number("dx", 1) / 2), dim));
        }
        Tensor x = c.tensor("x");
        if (x.dim() != y.dim()) {
            long[] sizes = new long[y.dim()];
            java.util.Arrays.fill(sizes, 1);
            sizes[dim] = x.size(0);
            x = x.dim() == 1 ? b.call("view", x, sizes) : x;
        }
        Tensor before = b.call("slice.Tensor", x, dim, 0, x.size(dim) - 1, 1);
        Tensor width = b.let(b.call("sub.Tensor", b.call("slice.Tensor", x, dim, 1, Long.MAX_VALUE, 1), before));
        if (running) {
            Tensor area = b.call("mul.Tensor", neighbours(b, y, dim), width);
            return b.give(b.call("div.Scalar", b.call("cumsum", area, dim), 2.0));
        }
        Tensor area = b.call("mul.Tensor", neighbours(b, y, dim), width);
        return b.give(b.call("div.Scalar", b.call("sum.dim_IntList", area, new long[] {dim}), 2.0));
    }

    private static Tensor neighbours(Body b, Tensor y, int dim) {
        Tensor right = b.call("slice.Tensor", y, dim, 1, Long.MAX_VALUE, 1);
        Tensor left = b.call("slice.Tensor", y, dim, 0, y.size(dim) - 1, 1);
        return b.call("add.Tensor", left, right);
    }

    /** Ones and running products of columns that are all the vector. */
    private static Tensor vander(Body b, Call c) {
        Tensor x = c.tensor("x");
        if (x.dim() == 0) {
            throw new NoRule("powers of a number");
        }
        long n = c.integer("N", x.size(-1));
        long[] sizes = Dimensions.with(x.sizes(), x.dim(), n - 1);
        Tensor columns = b.call("expand", b.call("unsqueeze", x, -1), sizes);
        Tensor powers = b.let(b.call("cumprod", columns, -1));
        Tensor ones = b.made(Creation.zeros(c.runtime(), x.dtype(), Dimensions.with(x.sizes(), x.dim(), 1)));
        return b.give(b.call("cat", new Tensor[] {ones, powers}, -1));
    }

    /** {@code vander} (ATen/native/TensorFactories.cpp): running products written in place, turned around. */
    private static Tensor powers(Body b, Call c) {
        Tensor x = c.tensor("x");
        boolean floating = x.dtype().isFloatingPoint() || x.dtype().isComplex();
        long n = c.integer("N", x.numel());
        Tensor out = b.let(b.made(c.runtime().empty(floating ? x.dtype() : DType.INT64, x.numel(), n)));
        if (n > 1) {
            b.call("cumprod", b.call("slice.Tensor", out, 1, 1, n, 1), 1);
            b.end();
        }
        return b.give(c.flag("increasing", false) ? out : b.call("flip", out, new long[] {1}));
    }
}
