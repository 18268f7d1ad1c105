package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Numbers in random order (ATen/native/cuda/Randperm.cu): sorted by random keys. */
final class Permutations {
    private Permutations() {}

    /** {@code randperm_out_cuda}: keys are as wide as makes two equal ones rare. */
    static Tensor permutation(Call c) {
        EagerRuntime rt = c.runtime();
        long n = c.integer("n");
        DType type = c.type("dtype", DType.INT64);
        Tensor out = c.empty(type, n);
        if (!out.onDevice()) {
            return out;
        }
        rt.free(rt.empty(type)); // check_supported_max_int_with_precision
        if (n == 0) {
            return out;
        }
        double expected = n - (6 * (double) n * n + 1) / (Math.log(0.9) * 12);
        int bits = Math.min(Long.SIZE, (int) Math.ceil(Math.log(expected) / Math.log(2)));
        DType wide = bits <= Integer.SIZE ? DType.INT32 : DType.INT64;
        if (type.bytes() < wide.bytes()) {
            throw new NoRule("a permutation of so many narrow numbers");
        }
        Tensor numbers = rt.empty(type, n);
        Tensor keys = rt.empty(wide, n);
        Tensor sorted = rt.empty(wide, n);
        rt.free(rt.scratch(CubScratch.sortPairs(rt.device(), n, wide.bytes(), type.bytes(), bits)));
        rt.free(sorted);
        rt.free(keys);
        rt.free(numbers);
        return out;
    }
}
