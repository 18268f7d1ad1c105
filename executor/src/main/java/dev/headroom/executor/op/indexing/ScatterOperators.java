package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Operators that put elements where an index says (aten/src/ATen/native/TensorAdvancedIndexing.cpp). */
public final class ScatterOperators {
    private ScatterOperators() {}

    public static void register(Operators o) {
        ScatterReduce.register(o);
        PlacingOperators.register(o);
        for (boolean inPlace : new boolean[] {false, true}) {
            String suffix = inPlace ? "_" : "";
            o.add1("aten.scatter" + suffix, (e, a) -> scatter(e, a, inPlace));
            o.add1("aten.scatter_add" + suffix, (e, a) -> scatterAdd(e, a, inPlace));
            o.add1("aten.index_add" + suffix, (e, a) -> indexAdd(e, a, inPlace));
        }
    }

    /** The tensor that is changed: the operand, or a copy of it. */
    private static Tensor target(Eager e, Tensor x, boolean inPlace, long... strides) {
        if (inPlace) {
            return x;
        }
        Tensor out = e.emptyStrided(x.dtype(), x.sizes(), strides);
        Copies.fill(e, out, x);
        return out;
    }

    private static Tensor done(Recorder r, Tensor out, boolean inPlace) {
        return inPlace ? r.changed(out) : r.output(out);
    }

    /** {@code scatter} of another's elements or of a number: what was there gets no gradient. */
    private static Tensor scatter(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor src = a.optional("src");
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        Recorder r = src == null ? e.record("ScatterBackward1", x) : e.record("ScatterBackward0", x, src);
        SavedTensor saved = r.save(index);
        r.backward(g -> {
            Tensor ofX = null;
            if (r.needs(0)) {
                ofX = target(e, g[0], false, Layout.contiguous(g[0].sizes()));
                e.backend().indexing().scatter(ofX, dim, saved.get(), Tensor.number(DType.INT64, 0));
            }
            Tensor ofSource = src != null && r.needs(1) ? IndexingOperators.gather(e, g[0], dim, saved.get()) : null;
            return src == null ? new Tensor[] {ofX} : new Tensor[] {ofX, ofSource};
        });
        Tensor out = target(e, x, inPlace, Layout.contiguous(x.sizes()));
        e.backend()
                .indexing()
                .scatter(out, dim, index, src == null ? Tensor.number(DType.FLOAT64, a.real("value", 0)) : src);
        return done(r, out, inPlace);
    }

    private static Tensor scatterAdd(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor src = a.tensor("src");
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        Recorder r = e.record("ScatterAddBackward0", x, src);
        SavedTensor saved = r.save(index);
        r.backward(g -> new Tensor[] {
            r.needs(0) ? g[0] : null, r.needs(1) ? IndexingOperators.gather(e, g[0], dim, saved.get()) : null
        });
        Tensor out = target(e, x, inPlace, Layout.contiguous(x.sizes()));
        e.backend().indexing().scatterAdd(out, dim, index, src);
        return done(r, out, inPlace);
    }

    private static Tensor indexAdd(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor source = a.tensor("source");
        double alpha = a.real("alpha", 1);
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        Recorder r = e.record("IndexAddBackward0", x, source);
        SavedTensor saved = r.save(index);
        r.save(source);
        r.backward(g -> new Tensor[] {
            r.needs(0) ? g[0] : null,
            r.needs(1) ? Scaling.maybeTimes(e, IndexingOperators.indexSelect(e, g[0], dim, saved.get()), alpha) : null
        });
        Tensor out = target(e, x, inPlace, Layout.preserved(x.sizes(), x.strides()));
        @Nullable Tensor[] indices = new Tensor[dim + 1];
        indices[dim] = index;
        Tensor packed = alpha == 1 ? source : Elementwise.unary(e, Scaling.SCALE, source, alpha);
        e.backend().indexing().indexAdd(out, indices, packed);
        e.freeUnless(packed, source);
        return done(r, out, inPlace);
    }
}
