package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writing by indices (ATen/native/TensorAdvancedIndexing.cpp, ATen/native/cuda/Indexing.cu). */
final class Scatter {
    /** Nodes that keep the values themselves, since their formulas ask for the sizes. */
    private static final Set<String> SIZED = Set.of("IndexAddBackward0", "IndexCopyBackward0");

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
        if (SIZED.contains(node)) {
            r.save(values); // its formula asks for the sizes (derivatives.yaml: expand_as(source))
        }
        boolean reduces = node.equals("ScatterReduceBackward0");
        if (reduces) {
            r.save(t);
            r.save(values);
        }
        Tensor out = inPlace ? t : rt.emptyLike(t);
        if (reduces) {
            r.saveOutput(out);
        }
        long[] sizes = values == null ? new long[0] : values.sizes();
        return r.gradient(0, g -> overwrites ? rt.emptyLike(g) : g)
                .gradient(1, g -> {
                    at.get();
                    Tensor gathered = rt.empty(g.dtype(), sizes);
                    return c.number("alpha", 1) == 1 ? gathered : Pointwise.opFreeing(rt, gathered);
                })
                .output(out);
    }

    /** Without accumulation: values are gathered back, the rest of the gradient is a copy with zeros written in. */
    static Tensor indexPut(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor[] indices = c.tensors("indices");
        Tensor values = c.tensor("values");
        boolean masks = false;
        for (Tensor index : indices) {
            masks |= index != null && index.dtype() == DType.BOOL;
        }
        if (masks && (values.numel() > 1 || c.flag("accumulate", false))) {
            throw new NoRule("how many places a mask has is in the data");
        }
        if (c.flag("accumulate", false)) {
            return indexAdded(rt, t, indices, values, inPlace);
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

    private static Tensor indexAdded(EagerRuntime rt, Tensor t, Tensor[] indices, Tensor values, boolean inPlace) {
        Recorder r = rt.record("IndexPutBackward0", t, values);
        Saved[] kept = new Saved[indices.length];
        for (int i = 0; i < indices.length; i++) {
            kept[i] = r.save(indices[i]);
        }
        Tensor out = inPlace ? t : rt.emptyLike(t);
        IndexedSum.add(rt, values, t.sizes(), indices, true);
        return r.gradient(0, g -> g)
                .gradient(1, g -> {
                    Tensor[] at = new Tensor[kept.length];
                    for (int i = 0; i < at.length; i++) {
                        at[i] = kept[i].getOrNull();
                    }
                    return Indexing.gathered(rt, g, at);
                })
                .output(out);
    }

    /** {@code scatter_reduce} with a mean or an extremum (FunctionsManual.cpp, scatter_reduce_backward). */
    static Tensor reduced(Call c, String reduce, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor source = c.tensor("src");
        if (reduce.equals("prod")) {
            throw new NoRule("scatter_reduce by a product");
        }
        boolean alone = !c.flag("include_self", true);
        Recorder r = rt.record("ScatterReduceBackward0", t, source);
        Saved at = r.save(c.tensor("index"));
        Saved self = inPlace && r.records() ? r.saveCopy(Copies.clone(rt, t)) : r.save(t);
        Saved src = r.save(source);
        Tensor out = inPlace ? t : rt.emptyLike(t);
        boolean mean = reduce.equals("mean");
        if (mean) {
            Tensor ones = rt.emptyLike(source);
            Tensor count = rt.emptyLike(t);
            rt.free(rt.empty(DType.BOOL, t.sizes()));
            rt.free(count);
            rt.free(ones);
        }
        Saved result = r.saveOutput(out);
        return r.gradients(grads -> {
                    if (grads[0] == null) {
                        return new Tensor[2];
                    }
                    Tensor[] both;
                    try (Frame formula = rt.frame()) {
                        both = reduce.equals("sum")
                                ? new Tensor[] {
                                    grads[0],
                                    rt.empty(grads[0].dtype(), at.get().sizes())
                                }
                                : mean
                                        ? meanBackward(rt, grads[0], self.get(), src.get(), at.get())
                                        : extremumBackward(rt, grads[0], self.get(), src.get(), result.get(), at.get());
                        formula.keep(both[0] == grads[0] ? null : both[0]);
                        formula.keep(both[1]);
                    }
                    if (alone) { // what was not included gets no gradient: zeros are scattered into a copy
                        Tensor whole = both[0];
                        both[0] = rt.emptyLike(whole);
                        rt.freeUnless(whole, grads[0]);
                    }
                    return both;
                })
                .output(out);
    }

    private static Tensor[] meanBackward(EagerRuntime rt, Tensor g, Tensor self, Tensor src, Tensor index) {
        Formula f = new Formula(rt);
        Tensor ones = f.op(self);
        Tensor ofSource = f.op(src);
        Tensor count = f.op(ones);
        rt.free(ones);
        rt.free(ofSource);
        rt.free(f.test(count));
        Tensor ofSelf = f.op(g, count);
        Tensor counted = rt.empty(g.dtype(), index.sizes());
        Tensor gathered = rt.empty(g.dtype(), index.sizes());
        return new Tensor[] {ofSelf, f.op(gathered, counted)};
    }

    private static Tensor[] extremumBackward(
            EagerRuntime rt, Tensor g, Tensor self, Tensor src, Tensor result, Tensor index) {
        Formula f = new Formula(rt);
        Tensor value = rt.empty(result.dtype(), index.sizes());
        Tensor isSelf = converted(f, f.test(self, result), g.dtype());
        converted(f, f.test(src, value), g.dtype());
        Tensor share = f.op(g, f.op(isSelf));
        Tensor equal = f.test(self, result);
        Tensor ofSelf = f.op(equal, share);
        rt.free(equal);
        Tensor gathered = rt.empty(g.dtype(), index.sizes());
        Tensor equalSource = f.test(src, value);
        return new Tensor[] {ofSelf, f.op(equalSource, gathered)};
    }

    private static Tensor converted(Formula f, Tensor mask, DType type) {
        Tensor out = Strided.result(f.runtime(), type, mask);
        f.runtime().free(mask);
        return out;
    }

    /** {@code put}: a copy with values written at flat places. */
    static Tensor placed(Call c, boolean inPlace) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor values = c.tensor("source");
        Recorder r = rt.record("PutBackward0", t, values);
        Saved at = r.save(c.tensor("index"));
        r.save(values); // for its sizes
        Tensor out = inPlace ? t : rt.emptyLike(t);
        boolean adds = c.flag("accumulate", false);
        return r.gradient(0, g -> {
                    at.get();
                    if (adds) {
                        return g;
                    }
                    Tensor zeros = rt.empty(g.dtype(), at.get().sizes());
                    Tensor copy = rt.emptyLike(g);
                    rt.free(zeros);
                    return copy;
                })
                .gradient(1, g -> rt.empty(g.dtype(), at.get().sizes()))
                .output(out);
    }

    static Tensor take(Call c) {
        return Indexing.picked(c.runtime(), "TakeBackward0", c.tensor("self"), c.tensor("index"));
    }

    /** The indices are brought into range first; that copy is what gather keeps. */
    static Tensor takeAlongDim(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor index = c.tensor("indices");
        if (!c.has("dim")) {
            throw new NoRule("take_along_dim without a dimension");
        }
        int d = dev.headroom.model.graph.Shapes.wrap(c.integer("dim"), t.dim());
        long[] ofSelf = t.sizes().clone();
        long[] ofIndex = index.sizes().clone();
        for (int i = 0; i < ofSelf.length; i++) {
            ofSelf[i] = i == d ? ofSelf[i] : Math.max(ofSelf[i], ofIndex[i]);
            ofIndex[i] = i == d ? ofIndex[i] : ofSelf[i];
        }
        Tensor wide = java.util.Arrays.equals(ofSelf, t.sizes()) ? t : Views.expand(rt, t, ofSelf);
        Tensor wrapped = rt.empty(index.dtype(), ofIndex);
        Tensor out = Indexing.gather(rt, wide, wrapped);
        rt.free(wrapped);
        rt.freeUnless(wide, t);
        return out;
    }

    static Tensor oneHot(Call c) {
        long classes = c.integer("num_classes", -1);
        if (classes < 0) {
            throw new NoRule("one_hot without num_classes has as many as the largest value, which no archive holds");
        }
        Tensor t = c.tensor("self");
        return c.runtime().empty(DType.INT64, Dimensions.with(t.sizes(), t.dim(), classes));
    }
}
