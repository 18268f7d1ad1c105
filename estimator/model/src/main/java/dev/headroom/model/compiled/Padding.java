package dev.headroom.model.compiled;

import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import java.util.Map;

/**
 * By how much the sizes of a product would be padded (torch/_inductor/fx_passes/pad_mm.py, get_padded_length).
 *
 * @param m rows of the left operand
 * @param k columns of the left operand, rows of the right one
 * @param n columns of the right operand
 */
public record Padding(long m, long k, long n) {
    private static final int HALF = 8;
    private static final int SINGLE = 4;

    /** Of a product of two matrices, or of batches of them. */
    public static Padding of(TensorMeta left, TensorMeta right) {
        int alignment = left.dtype().isReducedFloat() ? HALF : left.dtype().bytes() == SINGLE ? SINGLE : 1;
        return new Padding(
                lacking(last(left, 2), alignment),
                lacking(last(left, 1), alignment),
                lacking(last(right, 1), alignment));
    }

    private static long last(TensorMeta of, int fromEnd) {
        List<?> sizes = of.sizes();
        return of.sizes().get(sizes.size() - fromEnd).evaluate(Map.of());
    }

    private static long lacking(long size, int alignment) {
        return size == 1 || size % alignment == 0 ? 0 : alignment - size % alignment;
    }

    /** Whether anything is padded. */
    public boolean any() {
        return m > 0 || k > 0 || n > 0;
    }
}
