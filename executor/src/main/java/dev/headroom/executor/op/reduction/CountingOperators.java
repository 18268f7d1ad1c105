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
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Sums over what is a number, counts, and both extremes at once (aten/src/ATen/native/ReduceOps.cpp). */
public final class CountingOperators {
    private static final Formula NUMBER = Formula.unary("is_number", "x0 == x0", x -> Double.isNaN(x) ? 0 : 1);
    private static final Formula NO_NUMBER = Formula.unary("isnan", "x0 != x0", x -> Double.isNaN(x) ? 1 : 0);
    private static final Formula NOT_ZERO = Formula.unary("not_zero", "x0 != 0", x -> x != 0 ? 1 : 0);

    private CountingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.nansum", CountingOperators::sum);
        o.add1("aten.nanmean", CountingOperators::mean);
        o.add1("aten.count_nonzero", CountingOperators::count);
        o.add("aten.aminmax", CountingOperators::extremes);
    }

    private static Tensor shaped(Eager e, Tensor wide, Tensor x, long[] kept, Arguments a) {
        return ReducedDimensions.shaped(e, wide, x.sizes(), kept, a.integers("dim"), a.flag("keepdim", false));
    }

    private static Tensor sum(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long[] kept = ReducedDimensions.kept(x.sizes(), a.integers("dim"));
        Recorder r = e.record("NansumBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor wide = Reductions.reduce(e, Kind.SUM_OF_NUMBERS, x, kept, x.dtype());
        Tensor out = shaped(e, wide, x, kept, a);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Steps s = new Steps(e);
                        Tensor up = Views.expand(
                                e, Views.view(e, g[0], kept), saved.get().sizes());
                        Tensor none = s.truth(NO_NUMBER, saved.get());
                        return s.times(up, s.truth(Formulas.EQUALS_ZERO, none));
                    })
                })
                .output(out);
    }

    private static Tensor mean(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long[] kept = ReducedDimensions.kept(x.sizes(), a.integers("dim"));
        return e.call(() -> {
            Tensor numbers = new Steps(e).truth(NUMBER, x);
            Tensor count = shaped(e, Reductions.sum(e, numbers, kept, DType.INT64), x, kept, a);
            e.free(numbers);
            Tensor sum = sum(e, a);
            Recorder r = e.record("DivBackward0", sum);
            SavedTensor divisor = r.save(count);
            Tensor out = new Steps(e).over(sum, count);
            return r.backward(g -> new Tensor[] {new Steps(e).over(g[0], divisor.get())})
                    .output(out);
        });
    }

    private static Tensor count(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long[] kept = ReducedDimensions.kept(x.sizes(), a.integers("dim"));
        return e.call(() -> {
            Tensor mask = new Steps(e).truth(NOT_ZERO, x);
            Tensor wide = Reductions.sum(e, mask, kept, DType.INT64);
            return ReducedDimensions.shaped(e, wide, x.sizes(), kept, a.integers("dim"), false);
        });
    }

    private static Tensor[] extremes(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        long[] kept = ReducedDimensions.kept(x.sizes(), a.integers("dim"));
        Recorder r = e.record("AminmaxBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor[] ends = Reductions.ends(e, x, kept);
        Tensor least = shaped(e, ends[0], x, kept, a);
        Tensor most = shaped(e, ends[1], x, kept, a);
        SavedTensor first = r.saveOutput(least);
        SavedTensor second = r.saveOutput(most);
        r.backward(g -> {
            Tensor ofLeast = share(e, g[0], saved.get(), first.get(), kept);
            Tensor ofMost = share(e, g[1], saved.get(), second.get(), kept);
            if (ofLeast == null || ofMost == null) {
                return new Tensor[] {ofLeast == null ? ofMost : ofLeast};
            }
            Tensor sum = Elementwise.binary(e, Elementwise.ADD, ofLeast, ofMost);
            e.free(ofMost);
            e.free(ofLeast);
            return new Tensor[] {sum};
        });
        return new Tensor[] {r.output(least), r.output(most)};
    }

    /** scale_grad_by_count: equal elements share the gradient. */
    private static @Nullable Tensor share(Eager e, @Nullable Tensor g, Tensor x, Tensor extreme, long[] kept) {
        if (g == null) {
            return null;
        }
        return e.call(() -> {
            Steps s = new Steps(e);
            Tensor mask = s.truth(Formulas.EQUAL, x, Views.view(e, extreme, kept));
            Tensor count = Reductions.sum(e, mask, kept, DType.INT64);
            return s.times(s.over(Views.view(e, g, kept), count), mask);
        });
    }
}
