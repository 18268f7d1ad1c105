package dev.headroom.executor.op.shape;

import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** {@code randperm}: numbers sorted by random keys (aten/src/ATen/native/cuda/Randperm.cu). */
public final class Permutations {
    /** Keys of random numbers have values that single precision tells apart. */
    private static final double GREATEST_KEY = 1 << 24;

    private Permutations() {}

    public static void register(Operators o) {
        o.add1("aten.randperm", Permutations::permutation);
    }

    /** Keys are as wide as makes two equal ones rare. */
    private static Tensor permutation(Eager e, Arguments a) {
        long n = a.integer("n", 0);
        if (a.dtype("dtype") != null && a.dtype("dtype") != DType.INT64) {
            throw new UserInputException("randperm of other numbers than 64-bit integers is not supported by the"
                    + " executor; leave out its dtype, and convert the result");
        }
        Tensor out = e.empty(DType.INT64, n);
        e.free(e.empty(DType.INT64)); // whether the type holds the greatest
        if (n == 0) {
            return out;
        }
        double expected = n - (6.0 * n * n + 1) / (12 * Math.log(0.9));
        int bits = Math.min(Long.SIZE, (int) Math.ceil(Math.log(expected) / Math.log(2)));
        DType width = bits <= Integer.SIZE ? DType.INT32 : DType.INT64;
        try (Scope s = e.open()) {
            e.empty(DType.INT64, n); // the numbers, which sorting reads
            Tensor keys = e.empty(width, n);
            Tensor sorted = e.empty(width, n);
            e.workspace(
                    CubScratch.sortPairs(n, width.bytes(), bits, e.settings().gpu()));
            e.backend().random().uniform(keys, 0, GREATEST_KEY, e.randomness().next());
            e.backend().reductions().sort(sorted, out, keys, 0, false);
        }
        return out;
    }
}
