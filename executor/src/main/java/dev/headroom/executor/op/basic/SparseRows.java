package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sparse gradients of tables: the values of rows, and which rows they are, one after the other and some of them
 * several times (aten/src/ATen/native/sparse/SparseTensor.cpp, cuda/SparseCUDATensorMath.cu). What is made is a local
 * of the running scope.
 */
public final class SparseRows {
    private SparseRows() {}

    /** The rows that a sparse tensor has values for. */
    public static Tensor rows(Tensor t) {
        return Objects.requireNonNull(t.rows(), "rows");
    }

    /** The rows and values of both one behind the other (add_out_sparse_cuda). */
    public static Tensor joined(Eager e, Tensor a, Tensor b, double factor) {
        return e.call(() -> {
            Tensor scaled = Scaling.maybeTimes(e, b, factor);
            Tensor rows = behind(e, rows(a), rows(b));
            Tensor out = e.sparse(behind(e, a, scaled), rows);
            e.free(rows);
            return out;
        });
    }

    private static Tensor behind(Eager e, Tensor a, Tensor b) {
        long[] sizes = a.sizes().clone();
        sizes[0] += b.size(0);
        Tensor out = e.empty(a.dtype(), sizes);
        long from = 0;
        for (Tensor part : new Tensor[] {a, b}) {
            if (part.elements() > 0) {
                try (Scope s = e.open()) {
                    Copies.fill(e, e.alias(out, part.sizes(), out.strides(), from), part);
                }
            }
            from += part.elements();
        }
        return out;
    }

    /** Adds the rows, times a factor, to a table (add_out_dense_sparse_cuda). */
    public static void addTo(Eager e, Tensor table, Tensor t, double factor) {
        addTo(e, table, t, rows(t), factor);
    }

    /** The same of values and rows that are apart. */
    public static void addTo(Eager e, Tensor table, Tensor values, Tensor rows, double factor) {
        if (values.elements() > 0) {
            e.backend().indexing().indexAdd(table, new @Nullable Tensor[] {rows, null}, values, factor);
        }
        table.storage().changed();
    }

    /** {@code clone()}. */
    public static Tensor copy(Eager e, Tensor t) {
        return e.call(() -> {
            Tensor values = Elementwise.unary(e, Formula.COPY, t);
            return e.sparse(values, Elementwise.unary(e, Formula.COPY, rows(t)));
        });
    }

    /** The product with a number (mul_out_sparse_scalar). */
    public static Tensor times(Eager e, Tensor t, double factor) {
        return e.call(() -> {
            Tensor rows = Elementwise.unary(e, Formula.COPY, rows(t));
            return e.sparse(Scaling.times(e, t, factor), rows);
        });
    }

    /** {@code zero_()}: no rows. */
    public static Tensor none(Eager e, Tensor t) {
        return e.sparse(e.empty(t.dtype(), 0, t.size(1)), e.empty(DType.INT64, 0));
    }

    /** A table's rows where another has some, each once ({@code sparse_mask}, _mul_dense_sparse_out). */
    public static Tensor masked(Eager e, Tensor table, Tensor mask) {
        Tensor ones = e.empty(mask.dtype(), 1);
        Elementwise.fill(e, ones, 1);
        Tensor picked = e.empty(table.dtype(), mask.sizes());
        e.backend().indexing().index(picked, table, new @Nullable Tensor[] {rows(mask), null});
        Tensor rows = Elementwise.unary(e, Formula.COPY, rows(mask));
        Tensor every = e.alias(ones, mask.sizes(), new long[mask.dims()], 0);
        Tensor values = Elementwise.binary(e, Elementwise.MULTIPLY, picked, every);
        e.free(every);
        e.free(picked);
        e.free(ones);
        Tensor out = e.sparse(values, rows);
        e.free(rows);
        return out;
    }
}
