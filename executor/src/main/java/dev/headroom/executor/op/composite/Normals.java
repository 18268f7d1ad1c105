package dev.headroom.executor.op.composite;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.op.shape.DrawnOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code normal} (aten/src/ATen/native/DistributionTemplates.h): numbers around zero, times the deviations, plus the
 * means. No gradient depends on what was drawn.
 */
final class Normals {
    private static final Formula SCALED = new Formula("scaled_by", "y0 = x0 * s0;", (x, s, y) -> y[0] = x[0] * s[0]);
    private static final Formula RAISED = new Formula("raised_by", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);

    private Normals() {}

    static void register(Operators o) {
        o.add1("aten.normal", Normals::drawn);
    }

    private static Tensor drawn(Eager e, Arguments a) {
        Tensor mean = a.isTensor("mean") ? a.tensor("mean") : null;
        Tensor deviation = a.isTensor("std") ? a.tensor("std") : null;
        if (mean == null && deviation == null) {
            Tensor out = e.empty(a.dtypeOr(DType.FLOAT32), a.integers("size"));
            DrawnOperators.asTold(e, a, out);
            return out;
        }
        Tensor only = a.tensor(mean == null ? "std" : "mean");
        Recorder r = mean == null
                ? e.record("NormalBackward2", deviation)
                : deviation == null ? e.record("NormalBackward1", mean) : e.record("NormalBackward3", mean, deviation);
        lookAt(e, deviation);
        Tensor out = mean != null && deviation != null
                ? e.empty(mean.dtype(), Layout.broadcast(mean, deviation))
                : e.emptyLike(only);
        lookAt(e, deviation);
        e.backend().random().normal(out, 0, 1, e.randomness().next());
        if (deviation == null) {
            e.free(e.empty(out.dtype(), out.sizes())); // for its sizes
            Elementwise.into(e, SCALED, new double[] {a.real("std", 1)}, out, out);
        } else {
            Elementwise.into(e, Elementwise.MULTIPLY, out, out, deviation);
        }
        if (mean == null) {
            e.free(e.empty(out.dtype()));
            Elementwise.into(e, RAISED, new double[] {a.real("mean", 0)}, out, out);
        } else {
            Elementwise.into(e, Elementwise.ADD, out, out, mean);
        }
        long[] first = only.sizes();
        long[] second = mean == null || deviation == null ? null : deviation.sizes();
        return r.backward(g -> second == null
                        ? new Tensor[] {Slices.zeros(e, g[0], first)}
                        : new Tensor[] {Slices.zeros(e, g[0], first), Slices.zeros(e, g[0], second)})
                .output(out);
    }

    /** The host looks whether the least deviation is negative. */
    private static void lookAt(Eager e, @Nullable Tensor deviation) {
        if (deviation != null && deviation.elements() > 0) {
            long[] kept = ReducedDimensions.kept(deviation.sizes(), new long[0]);
            Tensor least = Reductions.reduce(e, Kind.MIN, deviation, kept, deviation.dtype());
            e.free(e.empty(DType.BOOL));
            e.free(least);
        }
    }
}
