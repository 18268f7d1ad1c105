package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Pooling over windows; {@link Pooling} plays it. */
public final class PoolingRules {
    private PoolingRules() {}

    public static void register(Registry r) {
        for (int dims = 1; dims <= 3; dims++) {
            int n = dims;
            Pooling.Pool max = n == 3 ? Pooling::maxPool3d : Pooling::maxPool2d;
            Pooling.Pool average = n == 3 ? Pooling::avgPool3d : Pooling::avgPool2d;
            r.single("aten.max_pool" + n + "d", c -> {
                Tensor[] both = Pooling.windowed(c, n, max);
                c.runtime().free(both[1]);
                return both[0];
            });
            r.add("aten.max_pool" + n + "d_with_indices", c -> Pooling.windowed(c, n, max));
            r.single("aten.avg_pool" + n + "d", c -> Pooling.windowed(c, n, average)[0]);
        }
        for (int n = 2; n <= 3; n++) {
            int dims = n;
            r.single("aten.max_unpool" + n + "d", c -> Pooling.maxUnpool(c, dims));
            r.add("aten.fractional_max_pool" + n + "d", c -> Pooling.fractional(c, dims));
        }
    }
}
