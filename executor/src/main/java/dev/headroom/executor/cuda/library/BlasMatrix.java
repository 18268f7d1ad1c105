package dev.headroom.executor.cuda.library;

import dev.headroom.executor.tensor.Tensor;

/**
 * A matrix, or the first of a batch, as cuBLAS takes it. Memory that holds the rows one behind another is to cuBLAS,
 * which counts by columns, the transposed matrix.
 *
 * @param address of the first element
 * @param rows as the tensor has them
 * @param columns as the tensor has them
 * @param rowStride in elements
 * @param columnStride in elements
 */
record BlasMatrix(long address, long rows, long columns, long rowStride, long columnStride) {
    static BlasMatrix of(Tensor t) {
        return new BlasMatrix(t.address(), t.size(-2), t.size(-1), t.stride(-2), t.stride(-1));
    }

    BlasMatrix transposed() {
        return new BlasMatrix(address, columns, rows, columnStride, rowStride);
    }

    /** Whether each row is packed and rows do not overlap. */
    boolean hasPackedRows() {
        return (columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= Math.max(1, columns));
    }

    /** Whether cuBLAS can read it at all. */
    boolean fits() {
        return (hasPackedRows() || transposed().hasPackedRows()) && leading() <= Integer.MAX_VALUE;
    }

    /** From one packed row, or column, to the next. */
    long leading() {
        if (!hasPackedRows()) {
            return transposed().leading();
        }
        return rows == 1 ? Math.max(1, columns) : rowStride;
    }
}
