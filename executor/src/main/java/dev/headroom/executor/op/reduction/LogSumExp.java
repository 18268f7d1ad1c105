package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** {@code logsumexp} (aten/src/ATen/native/ReduceOps.cpp, logsumexp_out_impl; FunctionsManual.cpp). */
public final class LogSumExp {
    private static final Formula INFINITE =
            Formula.unary("is_infinite", "isinf(x0) ? 1 : 0", x -> Double.isInfinite(x) ? 1 : 0);

    private LogSumExp() {}

    public static void register(Operators o) {
        o.add1("aten.logsumexp", LogSumExp::apply);
    }

    private static Tensor apply(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long[] dims = a.integers("dim");
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        Recorder r = e.record("LogsumexpBackward0", x);
        SavedTensor savedX = r.save(x);
        Tensor wide = e.call(() -> forward(e, x, kept));
        Tensor out = ReducedDimensions.shaped(e, wide, x.sizes(), kept, dims, a.flag("keepdim", false));
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Tensor below = Views.view(e, result.get(), kept);
                        Tensor share = Elementwise.unary(
                                e, Formulas.EXP, Elementwise.binary(e, Formulas.DIFFERENCE, savedX.get(), below));
                        return Elementwise.binary(e, Elementwise.MULTIPLY, Views.view(e, g[0], kept), share);
                    })
                })
                .output(out);
    }

    /** The greatest is taken off before exponents are summed; where it is infinite, nothing is. */
    private static Tensor forward(Eager e, Tensor x, long[] kept) {
        if (x.elements() == 0) {
            Tensor out = Reductions.sum(e, x, kept, x.dtype());
            Elementwise.into(e, Formulas.LOG, out, out);
            return out;
        }
        Tensor greatest = Reductions.reduce(e, Kind.MAX, x, kept, x.dtype());
        try (Scope s = e.open()) {
            Tensor size = Elementwise.unary(e, Formulas.ABS, greatest);
            Tensor infinite = Elementwise.map(e, INFINITE, DType.BOOL, new double[0], size);
            Elementwise.into(e, Formulas.CLEARED, greatest, greatest, infinite);
        }
        Tensor powers = Elementwise.binary(e, Formulas.DIFFERENCE, x, greatest);
        Elementwise.into(e, Formulas.EXP, powers, powers);
        Tensor out = Reductions.sum(e, powers, kept, x.dtype());
        e.free(powers);
        Elementwise.into(e, Formulas.LOG, out, out);
        Elementwise.into(e, Elementwise.ADD, out, out, greatest);
        return out;
    }
}
