package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Writing by indices (ATen/native/TensorAdvancedIndexing.cpp, ATen/native/cuda/Indexing.cu). */
final class Scatter {
    private Scatter() {}

    /**
     * A copy (or the tensor itself) with values written into it.
     *
     * @param source name of the argument with the values, or {@code null} for a number
     * @param overwrites whether what was written over gets no gradient: a copy of the gradient with zeros there
     */
    static Tensor put(Call c, String node, @Nullable String source, boolean inPlace, boolean overwrites) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor index = c.tensor("index");
        Tensor values = source == null ? null : c.tensor(source);
        Recorder r = rt.record(node, t, values);
        Saved at = r.save(index);
        if (node.equals("IndexAddBackward0")) {
            r.save(values); // its formula asks for the sizes (derivatives.yaml: expand_as(source))
        }
        Tensor out = inPlace ? t : rt.emptyLike(t);
        long[] sizes = values == null ? new long[0] : values.sizes();
        return r.gradient(0, g -> overwrites ? rt.emptyLike(g) : g)
                .gradient(1, g -> {
                    at.get();
                    return rt.empty(g.dtype(), sizes);
                })
                .output(out);
    }

    /** Without accumulation: values are gathered back, the rest of the gradient is a copy with zeros written in. */
    static Tensor indexPut(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor[] indices = c.tensors("indices");
        Tensor values = c.tensor("values");
        if (c.flag("accumulate", false)) {
            throw new NoRule("index_put that accumulates");
        }
        Recorder r = rt.record("IndexPutBackward0", t, values);
        Saved[] kept = new Saved[indices.length];
        for (int i = 0; i < indices.length; i++) {
            kept[i] = r.save(indices[i]);
        }
        Tensor out = inPlace ? t : rt.emptyLike(t);
        DType type = values.dtype();
        long[] sizes = values.sizes();
        return r.gradient(0, g -> {
                    Tensor zeros = rt.empty(type, sizes);
                    Tensor copy = rt.emptyLike(g);
                    rt.free(zeros);
                    return copy;
                })
                .gradient(1, g -> {
                    Tensor[] at = new Tensor[kept.length];
                    for (int i = 0; i < at.length; i++) {
                        at[i] = kept[i].getOrNull();
                    }
                    return Indexing.gathered(rt, g, at);
                })
                .output(out);
    }

    static Tensor take(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor index = c.tensor("index");
        Recorder r = rt.record("TakeBackward0", t);
        Saved at = r.save(index);
        Tensor out = rt.empty(t.dtype(), index.sizes());
        long[] sizes = t.sizes();
        return r.gradient(0, g -> {
                    at.get();
                    return Creation.zeros(rt, g.dtype(), sizes);
                })
                .output(out);
    }

    /** The indices are brought into range first; that copy is what gather keeps. */
    static Tensor takeAlongDim(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor wrapped = Pointwise.op(rt, c.tensor("indices"));
        Tensor out = Indexing.gather(rt, t, wrapped);
        rt.free(wrapped);
        return out;
    }

    static Tensor oneHot(Call c) {
        long classes = c.integer("num_classes", -1);
        if (classes < 0) {
            throw new NoRule("one_hot without num_classes has as many as the largest value, which no archive holds");
        }
        Tensor t = c.tensor("self");
        return c.runtime().empty(DType.INT64, Views.with(t.sizes(), t.dim(), classes));
    }
}
