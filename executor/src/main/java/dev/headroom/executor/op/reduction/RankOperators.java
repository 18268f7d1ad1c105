package dev.headroom.executor.op.reduction;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Choice;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.pointwise.Steps;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** Elements by their ranks along a dimension (aten/src/ATen/native/cuda/Sorting.cpp, TensorModeKernel.cpp). */
public final class RankOperators {
    private static final Formula NO_NUMBER = Formula.unary("isnan", "x0 != x0", x -> Double.isNaN(x) ? 1 : 0);

    private static final Formula HALF = Formula.unary("half", "x0 / 2", x -> x / 2);

    private RankOperators() {}

    public static void register(Operators o) {
        o.add("aten.kthvalue", (e, a) -> chosen(e, a, Choice.RANKED, "KthvalueBackward0"));
        o.add("aten.median", (e, a) -> chosen(e, a, Choice.MEDIAN, "MedianBackward1"));
        o.add("aten.nanmedian", (e, a) -> chosen(e, a, Choice.MEDIAN_OF_NUMBERS, "NanmedianBackward1"));
        o.add("aten.mode", (e, a) -> chosen(e, a, Choice.COMMONEST, "ModeBackward0"));
    }

    private static Tensor[] chosen(Eager e, Arguments a, Choice choice, String node) {
        Tensor x = a.tensor("self");
        if (!a.has("dim") && (choice == Choice.MEDIAN || choice == Choice.MEDIAN_OF_NUMBERS)) {
            return new Tensor[] {ofAll(e, x, choice == Choice.MEDIAN_OF_NUMBERS)};
        }
        int dim = Layout.dimension(a.integer("dim", -1), x.dims());
        long[] dims = {dim};
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        boolean keep = a.flag("keepdim", false);
        Recorder r = e.record(node, x);
        Tensor values = e.empty(x.dtype(), kept);
        Tensor places = e.empty(DType.INT64, kept);
        boolean inOrder = x.dims() == 0 || dim == x.dims() - 1 && x.isContiguous();
        Tensor turned = choice == Choice.COMMONEST && !inOrder ? e.emptyLike(x) : null; // the dimension last
        e.backend().reductions().choose(choice, a.integer("k", 1) - 1, values, places, x, dim);
        e.free(turned);
        SavedTensor saved = r.save(places);
        long[] whole = x.sizes();
        r.backward(g -> {
            Tensor out = Slices.zeros(e, g[0], whole);
            try (var s = e.open()) {
                e.backend().indexing().scatterAdd(out, dim, saved.get(), Views.view(e, g[0], kept));
            }
            return new Tensor[] {out};
        });
        return new Tensor[] {
            r.output(ReducedDimensions.shaped(e, values, whole, kept, dims, keep)),
            ReducedDimensions.shaped(e, places, whole, kept, dims, keep)
        };
    }

    /**
     * All elements are sorted. Among numbers, those are counted and the middle one of them taken; otherwise the middle
     * one of all, or the last one where that is no number.
     */
    private static Tensor ofAll(Eager e, Tensor x, boolean amongNumbers) {
        Recorder r = e.record(amongNumbers ? "NanmedianBackward0" : "MedianBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor out = e.call(() -> {
            Tensor packed = Copies.packed(e, x);
            Tensor line = e.alias(packed, new long[] {x.elements()}, new long[] {1}, packed.offset());
            Tensor values = e.empty(x.dtype(), x.elements());
            Tensor places = e.empty(DType.INT64, x.elements());
            LongLines.sort(e, line, 0);
            e.backend().reductions().sort(values, places, line, 0, false);
            e.free(places);
            e.free(line);
            e.freeUnless(packed, x);
            if (amongNumbers) {
                return middleNumber(e, values);
            }
            Tensor last = e.alias(values, new long[0], new long[0], x.elements() - 1);
            Tensor middle = e.alias(values, new long[0], new long[0], (x.elements() - 1) / 2);
            Steps s = new Steps(e);
            Tensor none = s.truth(NO_NUMBER, last);
            return s.of(Formulas.WHERE, none, last, middle);
        });
        SavedTensor result = r.saveOutput(out);
        long[] kept = ReducedDimensions.kept(x.sizes(), new long[0]);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> ExtremeOperators.share(e, g[0], saved.get(), result.get(), kept, true))
                })
                .output(out);
    }

    private static Tensor middleNumber(Eager e, Tensor sorted) {
        Tensor middle = e.call(() -> {
            Steps s = new Steps(e);
            Tensor none = s.truth(NO_NUMBER, sorted);
            Tensor count = Reductions.sum(e, none, new long[] {1}, DType.INT64);
            Tensor last = s.from((double) (sorted.elements() - 1), count);
            Tensor half = Elementwise.map(e, HALF, DType.FLOAT32, new double[0], last);
            return Copies.to(e, half, DType.INT64);
        });
        Tensor out = e.empty(sorted.dtype());
        e.backend().indexing().index(e.alias(out, new long[] {1}, new long[] {1}, 0), sorted, new Tensor[] {middle});
        return out;
    }
}
