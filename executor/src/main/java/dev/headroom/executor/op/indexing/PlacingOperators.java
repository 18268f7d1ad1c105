package dev.headroom.executor.op.indexing;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/**
 * Entries and elements put and taken by their places, and places found in ordered lines
 * (aten/src/ATen/native/TensorAdvancedIndexing.cpp, native/cuda/Bucketization.cu).
 */
public final class PlacingOperators {
    private PlacingOperators() {}

    public static void register(Operators o) {
        for (boolean inPlace : new boolean[] {false, true}) {
            String suffix = inPlace ? "_" : "";
            o.add1("aten.index_copy" + suffix, (e, a) -> indexCopy(e, a, inPlace));
            o.add1("aten.index_fill" + suffix, (e, a) -> indexFill(e, a, inPlace));
            o.add1("aten.put" + suffix, (e, a) -> put(e, a, inPlace));
        }
        o.add1("aten.take", (e, a) -> take(e, a.tensor("self"), a.tensor("index")));
        o.add1("aten.searchsorted", (e, a) -> search(e, a, "sorted_sequence", "self"));
        o.add1("aten.bucketize", (e, a) -> search(e, a, "boundaries", "self"));
    }

    /** An index seen with another's shape, of which it names entries along a dimension. */
    static Tensor spread(Eager e, Tensor index, Tensor over, int dim) {
        long[] sizes = over.sizes().clone();
        long[] strides = new long[sizes.length];
        if (sizes.length > 0) {
            sizes[dim] = index.elements();
            strides[dim] = index.dims() == 0 ? 0 : index.stride(0);
        }
        return e.alias(index, sizes, strides, index.offset());
    }

    private static void clear(Eager e, Tensor t, int dim, Tensor index) {
        try (var s = e.open()) {
            e.backend().indexing().scatter(t, dim, spread(e, index, t, dim), Tensor.number(DType.INT64, 0));
        }
    }

    private static Tensor copied(Eager e, Tensor x, boolean inPlace) {
        if (inPlace) {
            return x;
        }
        Tensor out = e.emptyLike(x);
        Copies.fill(e, out, x);
        return out;
    }

    private static Tensor indexCopy(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor source = a.tensor("source");
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        Recorder r = e.record("IndexCopyBackward0", x, source);
        SavedTensor saved = r.save(index);
        r.save(source); // for its sizes
        Tensor out = copied(e, x, inPlace);
        try (var s = e.open()) {
            e.backend().indexing().scatter(out, dim, spread(e, index, out, dim), source);
        }
        r.backward(g -> {
            Tensor ofX = null;
            if (r.needs(0)) {
                ofX = copied(e, g[0], false);
                clear(e, ofX, dim, saved.get());
            }
            return new Tensor[] {ofX, r.needs(1) ? IndexingOperators.indexSelect(e, g[0], dim, saved.get()) : null};
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    private static Tensor indexFill(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor value = a.optional("value");
        if (value != null && value.requiresGrad()) {
            throw new UserInputException(
                    "the gradient of a value that index_fill puts at indices, which sums over those"
                            + " that differ, is not supported by the executor; give a number or a tensor without"
                            + " gradient");
        }
        int dim = Layout.dimension(a.integer("dim", 0), x.dims());
        Recorder r = e.record("IndexFillBackward0", x);
        SavedTensor saved = r.save(index);
        Tensor out = copied(e, x, inPlace);
        try (var s = e.open()) {
            Tensor wide = spread(e, index, out, dim);
            Tensor filled = value == null
                    ? Tensor.number(DType.FLOAT64, a.real("value", 0))
                    : value.onDevice() ? e.alias(value, wide.sizes(), new long[wide.dims()], value.offset()) : value;
            e.backend().indexing().scatter(out, dim, wide, filled);
        }
        r.backward(g -> {
            Tensor ofX = copied(e, g[0], false);
            clear(e, ofX, dim, saved.get());
            return new Tensor[] {ofX};
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    /** A row-major tensor as a line. */
    private static Tensor line(Eager e, Tensor t) {
        return e.alias(t, new long[] {t.elements()}, new long[] {1}, t.offset());
    }

    private static Tensor put(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor index = a.tensor("index");
        Tensor source = a.tensor("source");
        boolean adds = a.flag("accumulate", false);
        requireRows(x, "put");
        Recorder r = e.record("PutBackward0", x, source);
        SavedTensor saved = r.save(index);
        r.save(source); // for its sizes
        Tensor out = copied(e, x, inPlace);
        placed(e, out, index, source, adds);
        DType type = source.dtype();
        long[] sizes = source.sizes();
        r.backward(g -> {
            Tensor ofX = r.needs(0) ? g[0] : null;
            if (r.needs(0) && !adds) {
                ofX = e.call(() -> {
                    Tensor zeros = e.empty(type, sizes);
                    Elementwise.fill(e, zeros, 0);
                    Tensor copy = copied(e, g[0], false);
                    placed(e, copy, saved.get(), zeros, false);
                    return copy;
                });
            }
            Tensor ofSource = r.needs(1) ? taken(e, g[0], saved.get()) : null;
            return new Tensor[] {ofX, ofSource};
        });
        return inPlace ? r.changed(out) : r.output(out);
    }

    private static void placed(Eager e, Tensor into, Tensor index, Tensor source, boolean adds) {
        try (var s = e.open()) {
            Tensor where = line(e, Copies.packed(e, index));
            Tensor values = line(e, Copies.packed(e, source));
            if (adds) {
                e.backend().indexing().scatterAdd(line(e, into), 0, where, values);
            } else {
                e.backend().indexing().scatter(line(e, into), 0, where, values);
            }
        }
    }

    private static Tensor take(Eager e, Tensor x, Tensor index) {
        requireRows(x, "take");
        Recorder r = e.record("TakeBackward0", x);
        SavedTensor saved = r.save(index);
        r.save(x); // for its sizes
        long[] before = x.sizes();
        return r.backward(g -> {
                    Tensor out = Slices.zeros(e, g[0], before);
                    placed(e, out, saved.get(), g[0], true);
                    return new Tensor[] {out};
                })
                .output(taken(e, x, index));
    }

    private static Tensor taken(Eager e, Tensor x, Tensor index) {
        Tensor out = e.empty(x.dtype(), index.sizes());
        try (var s = e.open()) {
            Tensor from = line(e, Copies.packed(e, x));
            e.backend().indexing().gather(line(e, out), from, 0, line(e, Copies.packed(e, index)));
        }
        return out;
    }

    private static void requireRows(Tensor x, String name) {
        if (!x.isContiguous()) {
            throw new UserInputException(name + " of a tensor that is not contiguous is not supported by the executor");
        }
    }

    private static Tensor search(Eager e, Arguments a, String lines, String values) {
        Tensor x = a.tensor(values);
        boolean after = a.flag("right", false) || a.text("side", "left").equals("right");
        if (a.has("sorter")) {
            throw new UserInputException("searchsorted with a sorter is not supported by the executor");
        }
        Tensor out = e.empty(a.flag("out_int32", false) ? DType.INT32 : DType.INT64, x.sizes());
        try (var s = e.open()) {
            e.backend().indexing().search(out, Copies.packed(e, a.tensor(lines)), Copies.packed(e, x), after);
        }
        return out;
    }
}
