package dev.headroom.executor.cuda.kernel;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A walk over several tensors of one shape at once, in an order of the dimensions that follows the first tensor through
 * memory, with dimensions joined where all of them allow it. The fewer dimensions are left, the fewer divisions a
 * kernel needs to find an element.
 *
 * @param sizes outermost first; without dimensions of size 1
 * @param strides by tensor and dimension, in elements
 */
public record Walk(long[] sizes, long[][] strides) {
    /** @param strides by tensor and dimension; 0 where a tensor repeats */
    public static Walk over(long[] sizes, long[]... strides) {
        int[] order = IntStream.range(0, sizes.length)
                .filter(d -> sizes[d] != 1)
                .boxed()
                .sorted((a, b) -> Long.compare(strides[0][b], strides[0][a]))
                .mapToInt(d -> d)
                .toArray();
        long[] joined = new long[order.length];
        long[][] steps = new long[strides.length][order.length];
        int n = 0;
        for (int d : order) {
            boolean joins = n > 0;
            for (int t = 0; joins && t < strides.length; t++) {
                joins = steps[t][n - 1] == strides[t][d] * sizes[d];
            }
            int at = joins ? n - 1 : n++;
            joined[at] = joins ? joined[at] * sizes[d] : sizes[d];
            for (int t = 0; t < strides.length; t++) {
                steps[t][at] = strides[t][d];
            }
        }
        int dims = n;
        return new Walk(
                Arrays.copyOf(joined, dims),
                Arrays.stream(steps).map(s -> Arrays.copyOf(s, dims)).toArray(long[][]::new));
    }

    /** Whether all tensors lie in memory element behind element. */
    boolean isPacked() {
        return sizes.length == 0 || sizes.length == 1 && Arrays.stream(strides).allMatch(s -> s[0] == 1);
    }
}
