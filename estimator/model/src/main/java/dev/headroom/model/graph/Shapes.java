package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Arithmetic on sizes and strides, in elements; the rules are those of c10/core/TensorImpl and ATen/ExpandUtils. */
public final class Shapes {
    private Shapes() {}

    /** Number of elements. */
    public static long numel(long[] sizes) {
        long n = 1;
        for (long s : sizes) {
            if (s < 0) {
                throw new UserInputException("negative size in shape " + Arrays.toString(sizes));
            }
            try {
                n = Math.multiplyExact(n, s);
            } catch (ArithmeticException e) {
                throw new UserInputException(
                        "shape " + Arrays.toString(sizes) + " has more elements than 64 bits can count");
            }
        }
        return n;
    }

    /** Row-major strides. */
    public static long[] contiguous(long[] sizes) {
        long[] strides = new long[sizes.length];
        long next = 1;
        for (int i = sizes.length - 1; i >= 0; i--) {
            strides[i] = next;
            next *= Math.max(sizes[i], 1);
        }
        return strides;
    }

    /** Strides of NHWC (four dimensions) or NDHWC (five). */
    public static long[] channelsLast(long[] sizes) {
        int n = sizes.length;
        int[] order = new int[n]; // from the innermost dimension outwards
        order[0] = 1;
        for (int i = 1; i < n - 1; i++) {
            order[i] = n - i;
        }
        order[n - 1] = 0;
        long[] strides = new long[n];
        long next = 1;
        for (int d : order) {
            strides[d] = next;
            next *= Math.max(sizes[d], 1);
        }
        return strides;
    }

    /** Whether memory is row-major and dense, as that of an empty tensor always is. */
    public static boolean isContiguous(long[] sizes, long[] strides) {
        long expected = 1;
        boolean dense = true;
        for (int i = sizes.length - 1; i >= 0; i--) {
            if (sizes[i] == 0) {
                return true;
            }
            if (sizes[i] != 1) {
                dense &= strides[i] == expected;
                expected *= sizes[i];
            }
        }
        return dense;
    }

    /** Whether memory is NHWC or NDHWC and dense (c10/core/MemoryFormat.h, is_channels_last_contiguous). */
    public static boolean isChannelsLastContiguous(long[] sizes, long[] strides) {
        if (sizes.length != 4 && sizes.length != 5) {
            return false;
        }
        long expected = 1;
        for (int d : channelsLastOrder(sizes.length)) {
            if (sizes[d] != 1) {
                if (strides[d] != expected) {
                    return false;
                }
                expected *= sizes[d];
            }
        }
        return true;
    }

    /** What {@code suggest_memory_format} calls channels last (c10/core/MemoryFormat.h, is_channels_last_strides). */
    public static boolean isChannelsLastStrides(long[] sizes, long[] strides) {
        if (sizes.length != 4 && sizes.length != 5) {
            return false;
        }
        if (strides[1] == 0) {
            return false;
        }
        long min = 0;
        for (int d : channelsLastOrder(sizes.length)) {
            if (sizes[d] == 0 || strides[d] < min) {
                return false;
            }
            if (d == 0 && min == strides[1]) {
                return false;
            }
            min = strides[d];
            if (sizes[d] > 1) {
                min *= sizes[d];
            }
        }
        return true;
    }

    private static int[] channelsLastOrder(int dims) {
        return dims == 4 ? new int[] {1, 3, 2, 0} : new int[] {1, 4, 3, 2, 0};
    }

    /** c10/core/TensorImpl, refresh_contiguous and compute_non_overlapping_and_dense. */
    public static boolean isNonOverlappingAndDense(long[] sizes, long[] strides) {
        if (isContiguous(sizes, strides)) {
            return true; // an empty one as well
        }
        int n = sizes.length;
        Integer[] perm = new Integer[n];
        for (int i = 0; i < n; i++) {
            perm[i] = i;
        }
        Arrays.sort(perm, (a, b) -> {
            if (sizes[a] < 2) {
                return sizes[b] < 2 ? 0 : 1;
            }
            return sizes[b] < 2 ? -1 : Long.compare(strides[a], strides[b]);
        });
        long require = 1;
        for (int p : perm) {
            if (sizes[p] < 2) {
                return true;
            }
            if (strides[p] != require) {
                return false;
            }
            require *= sizes[p];
        }
        return true;
    }

    /** NumPy broadcasting of two shapes (ATen/ExpandUtils.h, infer_size). */
    public static long[] broadcast(long[] a, long[] b) {
        int n = Math.max(a.length, b.length);
        long[] out = new long[n];
        for (int i = 0; i < n; i++) {
            int ia = a.length - n + i;
            int ib = b.length - n + i;
            long sa = ia < 0 ? 1 : a[ia];
            long sb = ib < 0 ? 1 : b[ib];
            if (sa != sb && sa != 1 && sb != 1) {
                throw new UserInputException(
                        "shapes " + Arrays.toString(a) + " and " + Arrays.toString(b) + " do not broadcast");
            }
            out[i] = sa == 1 ? sb : sa;
        }
        return out;
    }

    /** Resolves a single -1 in a view's sizes. */
    public static long[] inferSize(long[] sizes, long numel) {
        long known = 1;
        int unknown = -1;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == -1) {
                unknown = i;
            } else {
                known *= sizes[i];
            }
        }
        long[] out = sizes.clone();
        if (unknown >= 0) {
            out[unknown] = known == 0 ? 0 : numel / known;
        }
        if (numel(out) != numel) {
            throw new UserInputException("shape " + Arrays.toString(sizes) + " is invalid for " + numel + " elements");
        }
        return out;
    }

    /**
     * Strides of a view of other sizes, or {@code null} where only a copy will do (ATen/TensorUtils.cpp,
     * computeStride).
     */
    public static long @Nullable [] viewStrides(long[] oldSizes, long[] oldStrides, long[] newSizes) {
        if (numel(oldSizes) == 0) {
            return Arrays.equals(oldSizes, newSizes) ? oldStrides : contiguous(newSizes);
        }
        long[] out = new long[newSizes.length];
        if (oldSizes.length == 0) {
            Arrays.fill(out, 1);
            return out;
        }
        int view = newSizes.length - 1;
        long chunkBase = oldStrides[oldStrides.length - 1];
        long tensorNumel = 1;
        long viewNumel = 1;
        for (int d = oldSizes.length - 1; d >= 0; d--) {
            tensorNumel *= oldSizes[d];
            if (d == 0 || (oldSizes[d - 1] != 1 && oldStrides[d - 1] != tensorNumel * chunkBase)) {
                while (view >= 0 && (viewNumel < tensorNumel || newSizes[view] == 1)) {
                    out[view] = viewNumel * chunkBase;
                    viewNumel *= newSizes[view];
                    view--;
                }
                if (viewNumel != tensorNumel) {
                    return null;
                }
                if (d > 0) {
                    chunkBase = oldStrides[d - 1];
                    tensorNumel = 1;
                    viewNumel = 1;
                }
            }
        }
        return view == -1 ? out : null;
    }

    /**
     * Strides of a fresh tensor that keeps another's layout: its strides when dense, else the same order of dimensions,
     * packed (ATen/ExpandUtils.cpp, infer_dense_strides; ATen/native/TensorFactories.cpp, empty_like).
     */
    public static long[] preserved(long[] sizes, long[] strides) {
        if (isNonOverlappingAndDense(sizes, strides)) {
            return strides;
        }
        if (isChannelsLastStrides(sizes, strides)) {
            return channelsLast(sizes);
        }
        return denseInOrder(sizes, order(sizes, new long[][] {strides}));
    }

    /** Packed strides with {@code order[0]} the innermost dimension. */
    public static long[] denseInOrder(long[] sizes, int[] order) {
        long[] out = new long[sizes.length];
        long next = 1;
        for (int d : order) {
            out[d] = next;
            next *= Math.max(sizes[d], 1);
        }
        return out;
    }

    /**
     * The order of dimensions, innermost first, that an iteration over operands of the given strides takes
     * (ATen/TensorIterator.cpp, reorder_dimensions). Strides are those of the broadcast operands.
     */
    public static int[] order(long[] sizes, long[][] operands) {
        return order(sizes, operands, false);
    }

    /**
     * The same order for a reduction.
     *
     * @param reduction whether the first operand is the result, with stride 0 in the reduced dimensions, which then
     *     come first
     */
    public static int[] order(long[] sizes, long[][] operands, boolean reduction) {
        int n = sizes.length;
        int[] perm = new int[n];
        for (int i = 0; i < n; i++) {
            perm[i] = n - 1 - i;
        }
        for (int i = 1; i < n; i++) {
            int dim1 = i;
            for (int dim0 = i - 1; dim0 >= 0; dim0--) {
                int c = shouldSwap(sizes, operands, reduction, perm[dim0], perm[dim1]);
                if (c > 0) {
                    int t = perm[dim0];
                    perm[dim0] = perm[dim1];
                    perm[dim1] = t;
                    dim1 = dim0;
                } else if (c < 0) {
                    break;
                }
            }
        }
        return perm;
    }

    private static int shouldSwap(long[] sizes, long[][] operands, boolean reduction, int dim0, int dim1) {
        if (reduction && operands[0][dim0] == 0 != (operands[0][dim1] == 0)) {
            return operands[0][dim1] == 0 ? 1 : -1;
        }
        for (long[] strides : operands) {
            long s0 = strides[dim0];
            long s1 = strides[dim1];
            if (s0 == 0 || s1 == 0) {
                continue;
            }
            if (s0 < s1) {
                return -1;
            }
            if (s0 > s1) {
                return 1;
            }
            if (sizes[dim0] > sizes[dim1]) {
                return 1;
            }
        }
        return 0;
    }

    /** Strides of a tensor of sizes {@code of} when it is seen in a larger shape: 0 where it is broadcast. */
    public static long[] expandedStrides(long[] of, long[] strides, long[] sizes) {
        long[] out = new long[sizes.length];
        int shift = sizes.length - of.length;
        for (int i = shift; i < sizes.length; i++) {
            out[i] = of[i - shift] == 1 && sizes[i] != 1 ? 0 : strides[i - shift];
        }
        return out;
    }

    /** A dimension in 0..dims-1 from one that may count from the end. */
    public static int wrap(long dim, int dims) {
        int n = Math.max(dims, 1);
        if (dim < -n || dim >= n) {
            throw new UserInputException(
                    "dimension " + dim + " is out of range for a tensor of " + dims + " dimensions");
        }
        return (int) (dim < 0 ? dim + n : dim);
    }
}
