package dev.headroom.executor.op.basic;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Shapes of what reductions over some dimensions leave (aten/src/ATen/native/ReduceOpsUtils.h). */
public final class ReducedDimensions {
    private ReducedDimensions() {}

    /**
     * A result without its reduced dimensions, unless they are kept.
     *
     * @param wide with them, a local, which ends here
     */
    public static Tensor shaped(Eager e, Tensor wide, long[] before, long[] kept, long[] dims, boolean keep) {
        long[] sizes = keep ? kept : dropped(before, dims);
        Tensor out = e.alias(wide, sizes, Layout.contiguous(sizes), wide.offset());
        e.free(wide);
        return out;
    }

    /** Sizes with 1 in the reduced dimensions. */
    public static long[] kept(long[] sizes, long[] dims) {
        long[] out = sizes.clone();
        if (dims.length == 0) {
            Arrays.fill(out, 1);
        }
        for (long d : dims) {
            if (out.length > 0) {
                out[Layout.dimension(d, out.length)] = 1;
            }
        }
        return out;
    }

    private static long[] dropped(long[] before, long[] dims) {
        if (dims.length == 0) {
            return new long[0];
        }
        boolean[] reduced = new boolean[before.length];
        for (long d : dims) {
            if (before.length > 0) {
                reduced[Layout.dimension(d, before.length)] = true;
            }
        }
        return IntStream.range(0, before.length)
                .filter(i -> !reduced[i])
                .mapToLong(i -> before[i])
                .toArray();
    }
}
