package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.kernel.ReductionKernels.Scan;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Running products, extremes and logarithms of sums, products of everything, and histograms
 * (aten/src/ATen/native/ReduceOps.cpp, cuda/ScanUtils.cuh, cuda/SummaryOps.cu;
 * torch/csrc/autograd/FunctionsManual.cpp).
 */
public final class CumulativeOperators {
    private static final Formula NEGATIVE = Formula.unary("below_zero", "x0 < 0", x -> x < 0 ? 1 : 0);
    private static final Formula POSITIVE = Formula.unary("above_zero", "x0 > 0", x -> x > 0 ? 1 : 0);
    private static final Formula CHOSEN = new Formula(
            "chosen_or_least",
            "y0 = x1 != 0 ? x0 : -INFINITY;",
            (x, s, y) -> y[0] = x[1] != 0 ? x[0] : Double.NEGATIVE_INFINITY);

    private CumulativeOperators() {}

    public static void register(Operators o) {
        o.add1("aten.cumprod", CumulativeOperators::product);
        o.add1("aten.logcumsumexp", CumulativeOperators::logarithm);
        o.add("aten.cummax", (e, a) -> extremes(e, a, Scan.MAX));
        o.add("aten.cummin", (e, a) -> extremes(e, a, Scan.MIN));
        o.add1("aten.prod", CumulativeOperators::whole);
        o.add1("aten.histc", CumulativeOperators::histogram);
    }

    /** A running kernel's result; it reads row-major memory (scan_dim). */
    private static Tensor scanned(Eager e, Scan scan, Tensor t, DType type, int dim) {
        Tensor out = e.emptyLike(t, type);
        try (Scope s = e.open()) {
            Tensor packed = Copies.packed(e, Copies.to(e, t, type));
            if (t.dims() > 0 && t.elements() == t.size(dim)) {
                e.workspace(CubScratch.scan(t.elements(), type.bytes()));
            }
            e.backend().reductions().scan(scan, out, null, packed, dim);
        }
        return out;
    }

    /** Sums that run from the end: turned, summed, turned back. */
    private static Tensor summedBack(Eager e, Scan scan, Tensor t, int dim) {
        return e.call(() -> {
            Tensor turned = ScanOperators.flip(e, t, dim);
            return ScanOperators.flip(e, scanned(e, scan, turned, t.dtype(), dim), dim);
        });
    }

    /** The gradient is PyTorch's of values without zeros, which the host looks for. */
    private static Tensor product(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        DType type = a.dtype("dtype");
        Recorder r = e.record("CumprodBackward0", t);
        SavedTensor self = r.save(t);
        Tensor out = scanned(e, Scan.PRODUCT, t, type == null ? t.dtype() : type, dim);
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> {
                    Tensor gradient = Copies.to(e, g[0], self.get().dtype());
                    if (gradient.elements() <= 1 || gradient.size(dim) == 1) {
                        return new Tensor[] {gradient};
                    }
                    return new Tensor[] {
                        e.call(() -> {
                            Steps s = new Steps(e);
                            Tensor weighted = s.times(result.get(), gradient);
                            s.truth(Formulas.EQUALS_ZERO, self.get());
                            e.free(e.empty(DType.BOOL)); // whether there is any
                            return s.over(summedBack(e, Scan.SUM, weighted, dim), self.get());
                        })
                    };
                })
                .output(out);
    }

    /** Positive and negative gradients apart. */
    private static Tensor logarithm(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        Recorder r = e.record("LogcumsumexpBackward0", t);
        SavedTensor self = r.save(t);
        Tensor out = scanned(e, Scan.LOG_SUM_EXP, t, t.dtype(), dim);
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> {
                    if (g[0].dims() == 0 || g[0].elements() == 0) {
                        return new Tensor[] {g[0]};
                    }
                    return new Tensor[] {
                        e.call(() -> {
                            Steps s = new Steps(e);
                            e.empty(g[0].dtype()); // the least number, on the device
                            Tensor magnitude = s.of(Formulas.ABS, g[0]);
                            Tensor logs = s.of(Formulas.LOG, magnitude);
                            e.free(magnitude);
                            Tensor above = masked(s, logs, POSITIVE, g[0]);
                            Tensor below = masked(s, logs, NEGATIVE, g[0]);
                            Tensor first = part(e, above, result.get(), self.get(), dim);
                            return s.minus(first, part(e, below, result.get(), self.get(), dim));
                        })
                    };
                })
                .output(out);
    }

    private static Tensor masked(Steps s, Tensor logs, Formula sign, Tensor g) {
        Tensor mask = s.truth(sign, g);
        Tensor out = s.masked(CHOSEN, logs, mask);
        s.e().free(mask);
        return out;
    }

    private static Tensor part(Eager e, Tensor logs, Tensor result, Tensor self, int dim) {
        return e.call(() -> {
            Steps s = new Steps(e);
            Tensor back = summedBack(e, Scan.LOG_SUM_EXP, s.minus(logs, result), dim);
            return s.of(Formulas.EXP, s.add(back, self));
        });
    }

    private static Tensor[] extremes(Eager e, Arguments a, Scan scan) {
        Tensor t = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", 0), t.dims());
        Recorder r = e.record(scan == Scan.MAX ? "CummaxBackward0" : "CumminBackward0", t);
        Tensor values = e.empty(t.dtype(), t.sizes());
        Tensor places = e.empty(DType.INT64, t.sizes());
        try (Scope s = e.open()) {
            e.backend().reductions().scan(scan, values, places, Copies.packed(e, t), dim);
        }
        SavedTensor saved = r.saveOutput(places);
        long[] before = t.sizes();
        r.backward(g -> {
            Tensor out = Slices.zeros(e, g[0], before);
            e.backend().indexing().scatterAdd(out, dim, saved.get(), g[0]);
            return new Tensor[] {out};
        });
        return new Tensor[] {t.dtype().isFloatingPoint() ? r.output(values) : values, places};
    }

    /** {@code prod} of everything or along a dimension; gradients of values without zeros. */
    private static Tensor whole(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        boolean all = !a.has("dim");
        long[] dims = all ? new long[0] : a.integers("dim");
        boolean keep = !all && a.flag("keepdim", false);
        DType asked = a.dtype("dtype");
        DType type = asked != null ? asked : t.dtype().isFloatingPoint() ? t.dtype() : DType.INT64;
        Recorder r = e.record(all ? "ProdBackward0" : "ProdBackward1", t);
        SavedTensor self = r.save(t);
        long[] kept = ReducedDimensions.kept(t.sizes(), dims);
        Tensor wide = Reductions.reduce(e, Kind.PRODUCT, t, kept, type);
        Tensor out = ReducedDimensions.shaped(e, wide, t.sizes(), kept, dims, keep);
        SavedTensor result = r.saveOutput(out);
        r.backward(g -> new Tensor[] {
            self.get().dims() == 0
                    ? g[0]
                    : e.call(() -> {
                        Steps s = new Steps(e);
                        Tensor gradient = keep ? g[0] : e.alias(g[0], kept, Layout.contiguous(kept), g[0].offset());
                        Tensor value = e.alias(
                                result.get(),
                                kept,
                                Layout.contiguous(kept),
                                result.get().offset());
                        if (all) {
                            return wholeGradient(s, self.get(), value, gradient);
                        }
                        Tensor zeros = s.truth(Formulas.EQUALS_ZERO, self.get());
                        Tensor counts = Reductions.sum(e, zeros, kept, DType.INT64);
                        long[] one = kept.clone();
                        java.util.Arrays.fill(one, 1);
                        e.free(Reductions.sum(e, counts, one, DType.INT64));
                        return s.times(gradient, s.over(value, self.get()));
                    })
        });
        return type.isFloatingPoint() ? r.output(out) : out;
    }

    private static Tensor wholeGradient(Steps s, Tensor self, Tensor value, Tensor gradient) {
        Tensor zero = s.truth(Formulas.EQUALS_ZERO, self);
        try (Scope found = s.e().open()) { // the host asks where the zeros are
            s.e().empty(DType.INT32);
            s.e().free(s.e().workspace(CubScratch.countFlags(
                    self.elements(), s.e().settings().gpu())));
            s.e().free(s.e().workspace(CubScratch.selectFlags(
                    self.elements(), s.e().settings().gpu())));
        }
        s.e().free(zero);
        Tensor ratio = s.over(value, self);
        return s.times(gradient, ratio);
    }

    private static Tensor histogram(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        double least = a.real("min", 0);
        double most = a.real("max", 0);
        Tensor out = e.empty(t.dtype(), a.integer("bins", 100));
        try (Scope s = e.open()) {
            Tensor[] bounds = null;
            if (least == most) {
                long[] kept = ReducedDimensions.kept(t.sizes(), new long[0]);
                bounds = Reductions.ends(e, t, kept);
            }
            e.backend().reductions().histogram(out, t, bounds, least, most);
            if (bounds != null) {
                e.free(bounds[0]);
            }
        }
        return out;
    }
}
