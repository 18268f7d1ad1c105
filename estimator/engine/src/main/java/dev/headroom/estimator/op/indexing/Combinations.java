package dev.headroom.estimator.op.indexing;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/** {@code combinations} (ATen/native/Itertools.cpp): places at which numbers of a grid ascend. */
final class Combinations {
    /** Elements that a block of {@code nonzero_static} reads at once. */
    private static final long TILE = 512 * 16;

    /** A grid of more dimensions than a tensor may have. */
    private static final int MOST = 64;

    private Combinations() {}

    static void register(Registry r) {
        r.single("aten.combinations", c -> run(new Body(c.runtime(), r), c));
    }

    private static Tensor run(Body b, Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long n = t.numel();
        int r = Math.toIntExact(c.integer("r", 2));
        if (r == 0) {
            return rt.empty(t.dtype(), 0);
        }
        if (r > MOST) {
            throw new NoRule("combinations of more than " + MOST);
        }
        boolean again = c.flag("with_replacement", false);
        Tensor numbers = rt.empty(DType.INT64, n);
        long[] grid = new long[r];
        Arrays.fill(grid, n);
        Tensor mask = rt.empty(DType.BOOL, grid);
        for (int i = 1; i < r; i++) {
            rt.free(rt.empty(DType.BOOL, grid));
        }
        rt.free(numbers);
        long many = many(again ? n + r - 1 : n, r);
        Tensor places = b.let(b.made(rt.emptyStrided(DType.INT64, new long[] {many, r}, new long[] {1, many})));
        search(rt, mask.numel());
        rt.free(mask);
        Tensor picked = b.call("index.Tensor", t, (Object) new Tensor[] {places});
        // Indices lie in columns, and so does what they pick, of which a dense copy is the result.
        return b.give(r == 1 || many <= 1 ? picked : b.call("clone", picked));
    }

    private static long many(long n, int r) {
        long out = 1;
        for (int i = 1; i <= r; i++) {
            out = out * (n - r + i) / i;
        }
        return out;
    }

    /** ATen/native/cuda/Nonzero.cu, nonzero_static_cuda_out_impl, of truths: counts of blocks and their sums. */
    private static void search(EagerRuntime rt, long n) {
        long tiles = Bytes.ceilDiv(n, TILE);
        long each = Bytes.ceilDiv(tiles, 2L * rt.device().sms());
        long blocks = Bytes.ceilDiv(tiles, each);
        Tensor counts = rt.scratch(blocks * Integer.BYTES);
        rt.free(rt.scratch(blocks * Long.BYTES));
        rt.free(counts);
    }
}
