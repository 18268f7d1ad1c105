package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.rule.Registry;

/** Pooling to a given size; {@link AdaptivePooling} plays it. */
public final class AdaptivePoolingRules {
    private AdaptivePoolingRules() {}

    public static void register(Registry r) {
        r.single("aten.adaptive_avg_pool1d", c -> AdaptivePooling.line(c, AdaptivePooling::average)[0]);
        r.single(
                "aten.adaptive_avg_pool2d",
                c -> AdaptivePooling.average(c.runtime(), c.tensor("self"), c.integers("output_size", 2, 1))[0]);
        r.single(
                "aten.adaptive_avg_pool3d",
                c -> AdaptivePooling.average(c.runtime(), c.tensor("self"), c.integers("output_size", 3, 1))[0]);
        r.add("aten.adaptive_max_pool1d", c -> AdaptivePooling.line(c, AdaptivePooling::maximum));
        r.add(
                "aten.adaptive_max_pool2d",
                c -> AdaptivePooling.maximum(c.runtime(), c.tensor("self"), c.integers("output_size", 2, 1)));
        r.add(
                "aten.adaptive_max_pool3d",
                c -> AdaptivePooling.maximum(c.runtime(), c.tensor("self"), c.integers("output_size", 3, 1)));
    }
}
