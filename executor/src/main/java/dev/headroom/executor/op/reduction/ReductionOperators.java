package dev.headroom.executor.op.reduction;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code aten.sum}, {@code aten.mean} and their like. */
public final class ReductionOperators {
    private ReductionOperators() {}

    public static void register(Operators o) {
        o.add1(
                "aten.sum",
                (e, a) -> sum(e, a.tensor("self"), a.integers("dim"), a.flag("keepdim", false), a.dtype("dtype")));
        o.add1(
                "aten.mean",
                (e, a) -> mean(e, a.tensor("self"), a.integers("dim"), a.flag("keepdim", false), a.dtype("dtype")));
    }

    /** {@code sum}; of all dimensions when none is named. */
    public static Tensor sum(Eager e, Tensor t, long[] dims, boolean keep, @Nullable DType dtype) {
        DType type = dtype != null ? dtype : isWhole(t.dtype()) ? DType.INT64 : t.dtype();
        return reduced(e, Kind.SUM, t, dims, keep, type);
    }

    /** {@code mean}; of all dimensions when none is named. */
    public static Tensor mean(Eager e, Tensor t, long[] dims, boolean keep, @Nullable DType dtype) {
        return reduced(e, Kind.MEAN, t, dims, keep, dtype == null ? t.dtype() : dtype);
    }

    /** A sum or a mean. */
    public static Tensor reduced(Eager e, Kind kind, Tensor t, long[] dims, boolean keep, DType type) {
        long[] before = t.sizes();
        long[] kept = ReducedDimensions.kept(before, dims);
        double share = kind == Kind.SUM ? 1 : (double) Layout.elements(kept) / t.elements();
        var r = e.record(kind == Kind.SUM ? "SumBackward1" : "MeanBackward1", t);
        Tensor wide = Reductions.reduce(e, kind, t, kept, type);
        Tensor out = ReducedDimensions.shaped(e, wide, before, kept, dims, keep);
        return r.backward(g -> {
                    Tensor whole = Views.expand(e, Views.view(e, g[0], kept), before);
                    return new Tensor[] {share == 1 ? whole : Scaling.times(e, whole, share)};
                })
                .output(out);
    }

    /** Whether sums are counted in 64 bits. */
    private static boolean isWhole(DType t) {
        return !t.isFloatingPoint() && !t.isComplex();
    }
}
