package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Reductions below autograd: results are row-major, whatever the operand's layout (ReduceOpsUtils.h). */
public final class Reductions {
    /** Elements that most reductions read at once (Reduce.cuh, vt0). */
    private static final int VECTOR = 4;

    /** The same of variances (ReduceMomentKernel.cu). */
    private static final int MOMENT_VECTOR = 2;

    private Reductions() {}

    /**
     * A sum with the reduced dimensions kept.
     *
     * @param kept the operand's sizes with 1 in the reduced dimensions
     */
    public static Tensor sum(Eager e, Tensor t, long[] kept, DType type) {
        return reduce(e, Kind.SUM, t, kept, type);
    }

    /** A reduction with the reduced dimensions kept. */
    public static Tensor reduce(Eager e, Kind kind, Tensor t, long[] kept, DType type) {
        Tensor out = e.empty(type, kept);
        into(e, kind, out, t);
        return out;
    }

    /** A length of some order with the reduced dimensions kept. */
    public static Tensor norm(Eager e, double order, Tensor t, long[] kept, DType type) {
        Tensor out = e.empty(type, kept);
        if (t.elements() == 0) {
            Elementwise.fill(e, out, 0);
            return out;
        }
        try (Scope s = e.open()) {
            scratch(e, out, t, accumulator(Kind.NORM, t.dtype()), VECTOR);
            e.backend().reductions().norm(order, out, t);
        }
        return out;
    }

    /** A reduction into a row-major tensor that has size 1 in the reduced dimensions. */
    public static void into(Eager e, Kind kind, Tensor out, Tensor t) {
        if (t.elements() == 0) {
            Elementwise.fill(e, out, kind == Kind.ALL ? 1 : 0);
            return;
        }
        try (Scope s = e.open()) {
            // Sums widen half precision as they go; every other change of type is a copy before.
            boolean widens = kind != Kind.SUM && kind != Kind.MEAN || t.dtype().isReducedFloat();
            Tensor operand = widens || t.dtype() == out.dtype() ? t : cast(e, t, out.dtype());
            scratch(e, out, operand, accumulator(kind, operand.dtype()), VECTOR);
            if (out.dtype().isComplex()) {
                for (int part = 0; part < 2; part++) {
                    e.backend().reductions().reduce(kind, e.part(out, part), e.part(operand, part));
                }
            } else {
                e.backend().reductions().reduce(kind, out, operand);
            }
        }
    }

    /** The least and the greatest elements in one reduction ({@code aminmax}), with the reduced dimensions kept. */
    public static Tensor[] ends(Eager e, Tensor t, long[] kept) {
        Tensor least = e.empty(t.dtype(), kept);
        Tensor most = e.empty(t.dtype(), kept);
        try (Scope s = e.open()) {
            scratch(e, least, t, 2 * t.dtype().bytes(), VECTOR);
            e.backend().reductions().reduce(Kind.MIN, least, t);
            e.backend().reductions().reduce(Kind.MAX, most, t);
        }
        return new Tensor[] {least, most};
    }

    /**
     * Extremes along a dimension with their places.
     *
     * @param values {@code null} when only the places are wanted
     */
    public static void extremes(Eager e, Kind kind, @Nullable Tensor values, Tensor places, Tensor t, int dim) {
        if (t.elements() == 0) {
            return;
        }
        try (Scope s = e.open()) {
            // A value and a 64-bit place, aligned to that.
            scratch(e, places, t, 2 * Long.BYTES, VECTOR);
            e.backend().reductions().extremes(kind, values, places, t, dim);
        }
    }

    /** Variances, and means where wanted, with the reduced dimensions kept. */
    public static void moments(Eager e, Tensor variance, @Nullable Tensor mean, Tensor t, double correction) {
        if (t.elements() == 0) {
            Elementwise.fill(e, variance, Double.NaN);
            if (mean != null) {
                Elementwise.fill(e, mean, Double.NaN);
            }
            return;
        }
        try (Scope s = e.open()) {
            momentScratch(e, variance, t);
            e.backend().reductions().moments(variance, mean, t, correction);
        }
    }

    /** What {@link #moments} takes beside its results, in the running scope. */
    public static void momentScratch(Eager e, Tensor variance, Tensor t) {
        // Mean, sum of squares, count, and the count in floating point (SharedReduceOps.h, WelfordData).
        scratch(e, variance, t, t.dtype() == DType.FLOAT64 ? 32 : 16, MOMENT_VECTOR);
    }

    private static Tensor cast(Eager e, Tensor t, DType type) {
        Tensor out = e.emptyLike(t, type);
        Copies.fill(e, out, t);
        return out;
    }

    private static int accumulator(Kind kind, DType type) {
        return switch (kind) {
            case SUM, MEAN, NORM, PRODUCT, SUM_OF_NUMBERS -> type.isReducedFloat() ? Float.BYTES : type.bytes();
            case MAX, MIN -> type.bytes();
            case ANY, ALL -> 1;
        };
    }

    /** What the blocks of a reduction share: made before the kernel, gone after it. */
    private static void scratch(Eager e, Tensor out, Tensor t, int accumulatorBytes, int vector) {
        long[] steps = Layout.contiguous(out.sizes());
        for (int d = 0; d < steps.length; d++) {
            steps[d] = out.size(d) == 1 && t.size(d) != 1 ? 0 : steps[d];
        }
        ReductionShape whole = ReductionShape.of(steps, t);
        var parts = whole.parts(out.dtype().bytes(), t.dtype().bytes());
        boolean sumsElsewhere = accumulatorBytes > out.dtype().bytes();
        if (parts.size() > 1 && sumsElsewhere) {
            e.workspace(out.elements() * accumulatorBytes);
        }
        Tensor buffer = null;
        Tensor semaphores = null;
        for (ReductionShape part : parts) {
            e.free(semaphores);
            e.free(buffer);
            ReductionPlan plan = ReductionPlan.of(
                    part, accumulatorBytes, vector, e.settings().gpu());
            buffer = plan.bufferBytes() == 0 ? null : e.workspace(plan.bufferBytes());
            semaphores = plan.bufferBytes() == 0 ? null : e.workspace(plan.semaphoreBytes());
        }
    }
}
