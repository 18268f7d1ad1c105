package dev.headroom.executor.tensor;

import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** How the elements of a tensor lie in its storage: arithmetic on sizes and strides, both in elements. */
public final class Layout {
    private Layout() {}

    /**
     * Number of elements.
     *
     * @throws UserInputException when a size is negative or the product does not fit 64 bits
     */
    public static long elements(long... sizes) {
        long n = 1;
        for (long size : sizes) {
            if (size < 0 || size > 0 && n > Long.MAX_VALUE / size) {
                throw new UserInputException("no tensor can have the shape " + Arrays.toString(sizes));
            }
            n *= size;
        }
        return n;
    }

    /** Strides of a packed tensor whose dimensions move faster from {@code order}'s first to its last. */
    public static long[] packed(long[] sizes, int... order) {
        long[] strides = new long[sizes.length];
        long step = 1;
        for (int dim : order) {
            strides[dim] = step;
            step *= Math.max(1, sizes[dim]);
        }
        return strides;
    }

    /** Sizes or strides with one more. */
    public static long[] inserted(long[] values, int at, long value) {
        long[] out = new long[values.length + 1];
        System.arraycopy(values, 0, out, 0, at);
        out[at] = value;
        System.arraycopy(values, at, out, at + 1, values.length - at);
        return out;
    }

    /** Sizes or strides without one of them. */
    public static long[] removed(long[] values, int at) {
        long[] out = new long[values.length - 1];
        System.arraycopy(values, 0, out, 0, at);
        System.arraycopy(values, at + 1, out, at, out.length - at);
        return out;
    }

    /** Row-major strides ({@code torch.contiguous_format}). */
    public static long[] contiguous(long... sizes) {
        return packed(sizes, lastToFirst(sizes.length));
    }

    /** Strides with the second dimension innermost ({@code torch.channels_last}, in five dimensions {@code _3d}). */
    public static long[] channelsLast(long... sizes) {
        return packed(sizes, channelsFastest(sizes.length));
    }

    private static int[] lastToFirst(int n) {
        return IntStream.range(0, n).map(i -> n - 1 - i).toArray();
    }

    private static int[] channelsFastest(int n) {
        // channels, then width, height (and depth), then the batch
        return IntStream.range(0, n)
                .map(i -> i == 0 ? 1 : i == n - 1 ? 0 : n - i)
                .toArray();
    }

    /** Whether a walk over the elements in row-major order moves through memory one by one. */
    public static boolean isContiguous(long[] sizes, long[] strides) {
        return isPacked(sizes, strides, lastToFirst(sizes.length));
    }

    /**
     * {@code is_contiguous(memory_format=torch.channels_last)}, or {@code _3d}; false but for four and five
     * dimensions.
     */
    public static boolean isChannelsLast(long[] sizes, long[] strides) {
        return (sizes.length == 4 || sizes.length == 5) && isPacked(sizes, strides, channelsFastest(sizes.length));
    }

    private static boolean isPacked(long[] sizes, long[] strides, int[] order) {
        if (elements(sizes) == 0) {
            return true;
        }
        long step = 1;
        for (int dim : order) {
            if (sizes[dim] != 1) {
                if (strides[dim] != step) {
                    return false;
                }
                step *= sizes[dim];
            }
        }
        return true;
    }

    /**
     * Whether the strides say channels last, packed or not, and not row-major just as well
     * (c10/core/MemoryFormat.h, is_channels_last_strides_2d).
     */
    public static boolean looksChannelsLast(long[] sizes, long[] strides) {
        if (sizes.length != 4 && sizes.length != 5 || strides[1] == 0) {
            return false;
        }
        long least = 0;
        for (int dim : channelsFastest(sizes.length)) {
            boolean ambiguous = dim == 0 && least == strides[1];
            if (sizes[dim] == 0 || strides[dim] < least || ambiguous) {
                return false;
            }
            least = strides[dim] * Math.max(1, sizes[dim]);
        }
        return true;
    }

    /**
     * Whether the elements fill a stretch of memory, each place once (c10 TensorImpl, is_non_overlapping_and_dense).
     */
    public static boolean isDense(long[] sizes, long[] strides) {
        if (isContiguous(sizes, strides)) {
            return true; // an empty one as well
        }
        int[] order = IntStream.range(0, sizes.length)
                .filter(i -> sizes[i] > 1)
                .boxed()
                .sorted((a, b) -> Long.compare(strides[a], strides[b]))
                .mapToInt(i -> i)
                .toArray();
        long step = 1;
        for (int dim : order) {
            if (strides[dim] != step) {
                return false;
            }
            step *= sizes[dim];
        }
        return true;
    }

    /**
     * Strides of a fresh tensor that keeps another's layout ({@code torch.preserve_format}; ATen,
     * infer_dense_strides).
     */
    public static long[] preserved(long[] sizes, long[] strides) {
        if (isDense(sizes, strides)) {
            return strides.clone();
        }
        if (looksChannelsLast(sizes, strides)) {
            return channelsLast(sizes);
        }
        return packed(sizes, IterationOrder.of(sizes, strides));
    }

    /** The common shape of broadcast operands; null ones do not count. */
    public static long[] broadcast(@Nullable Tensor... operands) {
        long[] out = {};
        for (Tensor t : operands) {
            out = t == null ? out : broadcast(out, t.sizes());
        }
        return out;
    }

    /**
     * The common shape of two.
     *
     * @throws UserInputException when they have none
     */
    public static long[] broadcast(long[] a, long[] b) {
        int n = Math.max(a.length, b.length);
        long[] out = new long[n];
        for (int i = 1; i <= n; i++) {
            long x = i > a.length ? 1 : a[a.length - i];
            long y = i > b.length ? 1 : b[b.length - i];
            if (x != y && x != 1 && y != 1) {
                throw new UserInputException("operands of shapes " + Arrays.toString(a) + " and " + Arrays.toString(b)
                        + " cannot be broadcast");
            }
            out[n - i] = x == 1 ? y : x;
        }
        return out;
    }

    /** Strides of a tensor seen in a larger shape: 0 where it repeats. */
    public static long[] expanded(long[] sizes, long[] strides, long[] larger) {
        long[] out = new long[larger.length];
        int shift = larger.length - sizes.length;
        for (int i = shift; i < larger.length; i++) {
            out[i] = sizes[i - shift] == 1 && larger[i] != 1 ? 0 : strides[i - shift];
        }
        return out;
    }

    /**
     * Strides with which the same memory has another shape.
     *
     * @return {@code null} when only a copy can have it (ATen/TensorUtils.cpp, computeStride)
     */
    public static long @Nullable [] viewed(long[] sizes, long[] strides, long[] shape) {
        if (elements(sizes) == 0) {
            return Arrays.equals(sizes, shape) ? strides : contiguous(shape);
        }
        long[] out = new long[shape.length];
        Arrays.fill(out, 1);
        int at = shape.length - 1;
        int dim = sizes.length - 1;
        while (dim >= 0) {
            // A run of dimensions that lie behind one another without gaps can be cut anew.
            long innermost = strides[dim];
            long run = sizes[dim];
            while (dim > 0 && (sizes[dim - 1] == 1 || strides[dim - 1] == run * innermost)) {
                run *= sizes[--dim];
            }
            long filled = 1;
            while (at >= 0 && (filled < run || shape[at] == 1)) {
                out[at] = filled * innermost;
                filled *= shape[at--];
            }
            if (filled != run) {
                return null;
            }
            dim--;
        }
        return at < 0 || sizes.length == 0 ? out : null;
    }

    /**
     * Fills in the size given as -1.
     *
     * @throws UserInputException when the elements cannot have the shape
     */
    public static long[] inferred(long[] shape, long elements) {
        long[] out = shape.clone();
        int open = -1;
        long known = 1;
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] == -1 && open < 0) {
                open = i;
            } else {
                known *= shape[i];
            }
        }
        if (open >= 0 && known != 0) {
            out[open] = elements / known;
        }
        if (elements(out) != elements) {
            throw new UserInputException(elements + " elements cannot have the shape " + Arrays.toString(shape));
        }
        return out;
    }

    /**
     * A dimension counted from the front.
     *
     * @throws UserInputException when there is no such dimension
     */
    public static int dimension(long dim, int dims) {
        int n = Math.max(1, dims);
        if (dim < -n || dim >= n) {
            throw new UserInputException("dimension " + dim + " of a tensor with " + dims + " dimensions");
        }
        return (int) Math.floorMod(dim, (long) n);
    }
}
