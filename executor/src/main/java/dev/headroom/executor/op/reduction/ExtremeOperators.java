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
import dev.headroom.executor.op.elementwise.ArithmeticOperators;
import dev.headroom.executor.op.elementwise.Selecting;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code aten.max}, {@code aten.amax}, {@code aten.argmax} and their counterparts
 * (aten/src/ATen/native/TensorCompare.cpp).
 */
public final class ExtremeOperators {

    /** Puts a gradient where the chosen element is; the numbers of positions along the dimension are an operand. */
    private static final Formula PLACED =
            new Formula("placed", "y0 = x1 == x2 ? x0 : 0;", (x, s, y) -> y[0] = x[1] == x[2] ? x[0] : 0);

    private static final Formula IS_NAN = Formula.unary("isnan", "x0 != x0", x -> Double.isNaN(x) ? 1 : 0);

    private ExtremeOperators() {}

    public static void register(Operators o) {
        for (Kind kind : new Kind[] {Kind.MAX, Kind.MIN}) {
            String name = kind == Kind.MAX ? "max" : "min";
            o.add1("aten.a" + name, (e, a) -> among(e, a, kind, false));
            o.add("aten." + name, (e, a) -> either(e, a, kind));
            o.add1("aten.arg" + name, (e, a) -> place(e, a, kind));
        }
    }

    private static Tensor[] either(Eager e, Arguments a, Kind kind) {
        if (a.has("other")) {
            return new Tensor[] {Selecting.chosen(e, a.tensor("self"), a.tensor("other"), kind == Kind.MAX)};
        }
        return a.has("dim") ? along(e, a, kind) : new Tensor[] {among(e, a, kind, true)};
    }

    /**
     * Of several dimensions or all; equal elements share the gradient (FunctionsManual.cpp, scale_grad_by_count and
     * evenly_distribute_backward).
     *
     * @param looksForNan whether elements that are no numbers are sought as well
     */
    private static Tensor among(Eager e, Arguments a, Kind kind, boolean looksForNan) {
        Tensor x = a.tensor("self");
        long[] dims = a.integers("dim");
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        Recorder r = e.record(kind == Kind.MAX ? "AmaxBackward0" : "AminBackward0", x);
        SavedTensor saved = r.save(x);
        Tensor wide = Reductions.reduce(e, kind, x, kept, x.dtype());
        Tensor out = ReducedDimensions.shaped(e, wide, x.sizes(), kept, dims, a.flag("keepdim", false));
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        return share(e, g[0], saved.get(), result.get(), kept, looksForNan);
                    })
                })
                .output(out);
    }

    /** The gradient of what is equal to the result. */
    static Tensor share(Eager e, Tensor g, Tensor x, Tensor result, long[] kept, boolean looksForNan) {
        Tensor best = Views.view(e, result, kept);
        if (looksForNan) {
            Elementwise.map(e, IS_NAN, DType.BOOL, new double[0], x);
            Elementwise.map(e, IS_NAN, DType.BOOL, new double[0], best);
        }
        Tensor mask = Elementwise.map(e, Formulas.EQUAL, DType.BOOL, new double[0], x, best);
        Tensor count = Reductions.sum(e, mask, kept, DType.INT64);
        Tensor share =
                Elementwise.map(e, ArithmeticOperators.DIVIDE, g.dtype(), new double[0], Views.view(e, g, kept), count);
        return Elementwise.map(e, Elementwise.MULTIPLY, g.dtype(), new double[0], share, mask);
    }

    /** Along one dimension, with places. */
    private static Tensor[] along(Eager e, Arguments a, Kind kind) {
        Tensor x = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        long[] dims = {dim};
        long[] kept = ReducedDimensions.kept(x.sizes(), dims);
        boolean keep = a.flag("keepdim", false);
        Recorder r = e.record(kind == Kind.MAX ? "MaxBackward0" : "MinBackward0", x);
        Tensor values = e.empty(x.dtype(), kept);
        Tensor places = e.empty(DType.INT64, kept);
        Reductions.extremes(e, kind, values, places, x, dim);
        SavedTensor saved = r.save(places);
        long[] whole = x.sizes();
        r.backward(g -> new Tensor[] {placed(e, Views.view(e, g[0], kept), saved.get(), whole, dim)});
        return new Tensor[] {
            r.output(ReducedDimensions.shaped(e, values, whole, kept, dims, keep)),
            ReducedDimensions.shaped(e, places, whole, kept, dims, keep)
        };
    }

    /** value_selecting_reduction_backward: zeros with the gradient scattered into them. */
    private static Tensor placed(Eager e, Tensor g, Tensor places, long[] sizes, int dim) {
        Tensor out = e.empty(g.dtype(), sizes);
        for (long i = 0; i < (sizes.length == 0 ? 1 : sizes[dim]); i++) {
            long[] one = sizes.clone();
            if (one.length > 0) {
                one[dim] = 1;
            }
            try (var s = e.open()) {
                long step = one.length == 0 ? 0 : i * out.stride(dim);
                Tensor layer = e.alias(out, one, out.strides(), out.offset() + step);
                Elementwise.into(e, PLACED, layer, g, places, Tensor.number(DType.INT64, (double) i));
            }
        }
        return out;
    }

    private static Tensor place(Eager e, Arguments a, Kind kind) {
        Tensor x = a.tensor("self");
        boolean all = !a.has("dim");
        long[] flat = {x.elements()};
        Tensor operand = all ? e.call(() -> Views.reshape(e, x, flat)) : x;
        int dim = all ? 0 : Layout.dimension(a.integer("dim", 0), x.dims());
        long[] dims = {dim};
        long[] kept = ReducedDimensions.kept(operand.sizes(), dims);
        Tensor places = e.empty(DType.INT64, kept);
        Reductions.extremes(e, kind, null, places, operand, dim);
        return ReducedDimensions.shaped(e, places, operand.sizes(), kept, dims, !all && a.flag("keepdim", false));
    }
}
