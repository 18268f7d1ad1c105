package dev.headroom.executor.op.shape;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/**
 * Diagonals, parts that are replaced in a copy, and views by given strides (aten/src/ATen/native/TensorShape.cpp,
 * TriangularOps.cpp; torch/csrc/autograd/FunctionsManual.cpp).
 */
public final class DiagonalOperators {
    private DiagonalOperators() {}

    /** A view of a part of a tensor of the same shape. */
    private interface Part {
        Tensor of(Tensor t);
    }

    public static void register(Operators o) {
        o.add1("aten.diagonal", (e, a) -> viewed(e, a.tensor("self"), a));
        o.add1("aten.diag_embed", (e, a) -> {
            Tensor t = a.tensor("self");
            return embedded(e, t, a.integer("offset", 0), a.integer("dim1", -2), a.integer("dim2", -1));
        });
        o.add1("aten.diag", (e, a) -> diag(e, a.tensor("self"), a.integer("diagonal", 0)));
        o.add1(
                "aten.diagflat",
                (e, a) -> e.call(() -> diag(e, Views.reshape(e, a.tensor("self"), -1), a.integer("offset", 0))));
        o.add1("aten.block_diag", (e, a) -> blocks(e, a.tensors("tensors")));
        o.add1("aten.as_strided", DiagonalOperators::strided);
        scattered(
                o,
                "Diagonal",
                (e, a, t) -> diagonal(e, t, a.integer("offset", 0), a.integer("dim1", 0), a.integer("dim2", 1), false));
        scattered(o, "Select", (e, a, t) -> Slices.select(e, t, a.integer("dim", 0), a.integer("index", 0)));
        scattered(
                o,
                "Slice",
                (e, a, t) -> Slices.slice(
                        e,
                        t,
                        a.integer("dim", 0),
                        a.integer("start", 0),
                        a.integer("end", Long.MAX_VALUE),
                        a.integer("step", 1)));
        o.add1("aten.tril_", (e, a) -> triangle(e, a, false));
        o.add1("aten.triu_", (e, a) -> triangle(e, a, true));
    }

    private static Tensor viewed(Eager e, Tensor t, Arguments a) {
        return diagonal(e, t, a.integer("offset", 0), a.integer("dim1", 0), a.integer("dim2", 1), true);
    }

    /** @param recorded whether autograd sees the view */
    private static Tensor diagonal(Eager e, Tensor t, long shift, long dim1, long dim2, boolean recorded) {
        int a = Layout.dimension(dim1, t.dims());
        int b = Layout.dimension(dim2, t.dims());
        long length = Math.max(
                0, shift >= 0 ? Math.min(t.size(a), t.size(b) - shift) : Math.min(t.size(a) + shift, t.size(b)));
        long start = t.offset() + (shift >= 0 ? shift * t.stride(b) : -shift * t.stride(a));
        long[] sizes = new long[t.dims() - 1];
        long[] strides = new long[t.dims() - 1];
        int n = 0;
        for (int d = 0; d < t.dims(); d++) {
            if (d != a && d != b) {
                sizes[n] = t.size(d);
                strides[n++] = t.stride(d);
            }
        }
        sizes[n] = length;
        strides[n] = t.stride(a) + t.stride(b);
        if (!recorded) {
            return e.alias(t, sizes, strides, start);
        }
        long[] before = t.sizes();
        return e.record("DiagonalBackward0", t)
                .backward(g -> {
                    Tensor out = Slices.zeros(e, g[0], before);
                    Tensor into = diagonal(e, out, shift, a, b, false);
                    Copies.fill(e, into, g[0]);
                    e.free(into);
                    return new Tensor[] {out};
                })
                .output(e.view(t, sizes, strides, start));
    }

    private static Tensor embedded(Eager e, Tensor t, long shift, long dim1, long dim2) {
        int dims = t.dims() + 1;
        int a = Layout.dimension(dim1, dims);
        int b = Layout.dimension(dim2, dims);
        long[] sizes = new long[dims];
        int n = 0;
        for (int d = 0; d < dims; d++) {
            sizes[d] = d == a || d == b ? t.size(-1) + Math.abs(shift) : t.size(n++);
        }
        Recorder r = e.record("DiagEmbedBackward0", t);
        Tensor out = e.empty(t.dtype(), sizes);
        Elementwise.fill(e, out, 0);
        Tensor into = diagonal(e, out, shift, a, b, false);
        Copies.fill(e, into, t);
        e.free(into);
        return r.backward(g -> new Tensor[] {diagonal(e, g[0], shift, a, b, true)})
                .output(out);
    }

    private static Tensor diag(Eager e, Tensor t, long shift) {
        return t.dims() == 1
                ? embedded(e, t, shift, -2, -1)
                : e.call(() -> Copies.clone(e, diagonal(e, t, shift, 0, 1, true), MemoryFormat.CONTIGUOUS));
    }

    /** Zeros into which the matrices are copied; gradients are parts of the one that came in. */
    private static Tensor blocks(Eager e, Tensor... in) {
        long rows = 0;
        long columns = 0;
        for (Tensor t : in) {
            if (t.dims() != 2) {
                throw new UserInputException(
                        "block_diag of other tensors than matrices is not supported by the" + " executor");
            }
            rows += t.size(0);
            columns += t.size(1);
        }
        Recorder r = e.record("BlockDiagBackward0", in);
        Tensor out = e.empty(in[0].dtype(), rows, columns);
        Elementwise.fill(e, out, 0);
        long[][] sizes = Arrays.stream(in).map(Tensor::sizes).toArray(long[][]::new);
        for (int i = 0; i < in.length; i++) {
            Tensor into = block(e, out, sizes, i);
            Copies.fill(e, into, in[i]);
            e.free(into);
        }
        return r.backward(g -> {
                    Tensor[] parts = new Tensor[sizes.length];
                    for (int i = 0; i < parts.length; i++) {
                        int at = i;
                        long[] place = place(g[0], sizes, at);
                        parts[i] = r.needs(i) ? e.view(g[0], sizes[at], g[0].strides(), place[0]) : null;
                    }
                    return parts;
                })
                .output(out);
    }

    private static Tensor block(Eager e, Tensor t, long[][] sizes, int which) {
        return e.alias(t, sizes[which], t.strides(), place(t, sizes, which)[0]);
    }

    private static long[] place(Tensor t, long[][] sizes, int which) {
        long at = t.offset();
        for (int i = 0; i < which; i++) {
            at += sizes[i][0] * t.stride(0) + sizes[i][1] * t.stride(1);
        }
        return new long[] {at};
    }

    private interface PartOf {
        Tensor of(Eager e, Arguments a, Tensor t);
    }

    /** A copy with a part replaced; the part's gradient is a view, the rest's a copy with zeros there. */
    private static void scattered(Operators o, String name, PartOf part) {
        o.add1("aten." + name.toLowerCase(java.util.Locale.ROOT) + "_scatter", (e, a) -> {
            Tensor x = a.tensor("self");
            Tensor source = a.tensor("src");
            Recorder r = e.record(name + "ScatterBackward0", x, source);
            Tensor out = e.emptyLike(x);
            Copies.fill(e, out, x);
            put(e, out, source, t -> part.of(e, a, t));
            long[] sizes = source.sizes();
            return r.backward(g -> {
                        Tensor ofX = null;
                        if (r.needs(0)) {
                            Tensor zeros = Slices.zeros(e, g[0], sizes);
                            ofX = e.emptyLike(g[0]);
                            Copies.fill(e, ofX, g[0]);
                            put(e, ofX, zeros, t -> part.of(e, a, t));
                            e.free(zeros);
                        }
                        return new Tensor[] {ofX, r.needs(1) ? part.of(e, a, g[0]) : null};
                    })
                    .output(out);
        });
    }

    private static void put(Eager e, Tensor into, Tensor from, Part part) {
        boolean before = e.tape().setEnabled(false);
        try (Scope s = e.open()) {
            Copies.fill(e, part.of(into), from);
        } finally {
            e.tape().setEnabled(before);
        }
    }

    /** The gradient is scattered into what the view was of (as_strided_backward). */
    private static Tensor strided(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        long[] sizes = a.integers("size");
        long[] strides = a.integers("stride");
        long offset = a.integer("storage_offset", t.offset());
        if (t.requiresGrad() && !t.isContiguous()) {
            throw new UserInputException("as_strided with gradients of a tensor that is not contiguous"
                    + " is not supported by the executor");
        }
        long[] before = t.sizes();
        long shift = offset - t.offset();
        return e.record("AsStridedBackward0", t)
                .backward(g -> {
                    Tensor out = Slices.zeros(e, g[0], before);
                    if (overlaps(sizes, strides)) {
                        addAtPlaces(e, out, g[0], strides, shift);
                    } else {
                        Tensor into = e.alias(out, sizes, strides, shift);
                        Elementwise.into(e, Elementwise.ADD, into, into, g[0]);
                        e.free(into);
                    }
                    return new Tensor[] {out};
                })
                .output(e.view(t, sizes, strides, offset));
    }

    /** Numbers of all places, seen as the view sees its elements, say where each element's gradient is added. */
    private static void addAtPlaces(Eager e, Tensor into, Tensor g, long[] strides, long shift) {
        try (Scope s = e.open()) {
            Tensor places = e.empty(DType.INT64, into.elements());
            e.backend().indexing().range(places, 0, 1);
            Tensor read = Copies.packed(e, e.alias(places, g.sizes(), strides, shift));
            Tensor line = e.alias(into, places.sizes(), places.strides(), 0);
            long[] all = {g.elements()};
            Tensor where = e.alias(read, all, new long[] {1}, read.offset());
            Tensor values = Copies.packed(e, g);
            e.backend().indexing().scatterAdd(line, 0, where, e.alias(values, all, new long[] {1}, values.offset()));
        }
    }

    /** Whether elements may lie on each other: a dimension's steps do not reach beyond the smaller ones. */
    private static boolean overlaps(long[] sizes, long... strides) {
        Integer[] order = new Integer[sizes.length];
        Arrays.setAll(order, d -> d);
        Arrays.sort(order, java.util.Comparator.comparingLong(d -> strides[d]));
        long reach = 0;
        for (int d : order) {
            if (sizes[d] > 1 && strides[d] <= reach) {
                return true;
            }
            reach += (sizes[d] - 1) * strides[d];
        }
        return false;
    }

    private static Tensor triangle(Eager e, Arguments a, boolean upper) {
        Tensor t = a.tensor("self");
        long diagonal = a.integer("diagonal", 0);
        Recorder r = e.record(upper ? "TriuBackward0" : "TrilBackward0", t);
        e.backend().indexing().triangle(t, t, diagonal, upper);
        r.backward(g -> {
            Tensor out = e.empty(g[0].dtype(), g[0].sizes());
            e.backend().indexing().triangle(out, g[0], diagonal, upper);
            return new Tensor[] {out};
        });
        return r.changed(t);
    }
}
