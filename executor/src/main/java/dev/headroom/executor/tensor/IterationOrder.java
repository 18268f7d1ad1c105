package dev.headroom.executor.tensor;

import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The order in which element-wise kernels walk over dimensions, and in which their results are laid out
 * (aten/src/ATen/TensorIterator.cpp, reorder_dimensions and allocate_or_resize_outputs).
 */
public final class IterationOrder {
    private IterationOrder() {}

    /**
     * Dimensions from the fastest to the slowest.
     *
     * @param sizes the common shape
     * @param operands strides in that shape, 0 where an operand repeats
     */
    static int[] of(long[] sizes, long[]... operands) {
        return sorted(sizes.length, (a, b) -> compare(sizes, operands, a, b));
    }

    /**
     * Dimensions in order, the last one first where there is no verdict. An insertion sort as TensorIterator's, for its
     * comparisons are no total order.
     *
     * @param compare negative when the first of two dimensions is faster, positive when it is slower, 0 for no verdict
     */
    public static int[] sorted(int dims, IntBinaryOperator compare) {
        int[] order = new int[dims];
        for (int i = 0; i < dims; i++) {
            order[i] = dims - 1 - i;
        }
        for (int i = 1; i < dims; i++) {
            int moving = i;
            for (int other = i - 1; other >= 0; other--) {
                int verdict = compare.applyAsInt(order[other], order[moving]);
                if (verdict < 0) {
                    break;
                }
                if (verdict > 0) {
                    int t = order[other];
                    order[other] = order[moving];
                    order[moving] = t;
                    moving = other;
                }
            }
        }
        return order;
    }

    /** Compares two dimensions by the operands' strides, then by size: see {@link #sorted}. */
    public static int compare(long[] sizes, long[][] operands, int a, int b) {
        for (long[] strides : operands) {
            if (strides[a] == 0 || strides[b] == 0) {
                continue;
            }
            if (strides[a] != strides[b]) {
                return strides[a] < strides[b] ? -1 : 1;
            }
            if (sizes[a] > sizes[b]) {
                return 1;
            }
        }
        return 0;
    }

    /** Strides of the result of an element-wise operator; null operands and Python numbers do not count. */
    public static long[] resultStrides(long[] sizes, @Nullable Tensor... operands) {
        long[][] strides = new long[operands.length][];
        int n = 0;
        boolean alike = true;
        Tensor first = null;
        for (Tensor t : operands) {
            if (t == null || !t.onDevice()) {
                continue;
            }
            alike &= Arrays.equals(t.sizes(), sizes) && (first == null || Arrays.equals(t.strides(), first.strides()));
            first = first == null ? t : first;
            strides[n++] = Layout.expanded(t.sizes(), t.strides(), sizes);
        }
        strides = Arrays.copyOf(strides, n);
        if (first == null || allContiguous(sizes, operands)) {
            return Layout.contiguous(sizes);
        }
        // compute_fast_setup_type: operands of one shape that are all channels last, or all dense and alike, hand their
        // strides on.
        if (allChannelsLast(sizes, operands)) {
            return Layout.channelsLast(sizes);
        }
        if (alike && Layout.isDense(sizes, first.strides())) {
            return first.strides().clone();
        }
        return Layout.packed(sizes, of(sizes, strides));
    }

    private static boolean allContiguous(long[] sizes, @Nullable Tensor... operands) {
        for (Tensor t : operands) {
            if (t != null && t.onDevice() && !(Arrays.equals(t.sizes(), sizes) && t.isContiguous())) {
                return false;
            }
        }
        return true;
    }

    private static boolean allChannelsLast(long[] sizes, @Nullable Tensor... operands) {
        for (Tensor t : operands) {
            if (t != null
                    && t.onDevice()
                    && !(Arrays.equals(t.sizes(), sizes)
                            && sizes.length == 4
                            && Layout.isChannelsLast(t.sizes(), t.strides()))) {
                return false;
            }
        }
        return true;
    }
}
