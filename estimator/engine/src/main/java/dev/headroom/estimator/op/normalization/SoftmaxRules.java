package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.rule.Registry;

/** Softmax by its names; {@link Softmax} plays it. */
public final class SoftmaxRules {
    private SoftmaxRules() {}

    public static void register(Registry r) {
        for (String name : new String[] {"aten.softmax", "aten._softmax"}) {
            r.single(
                    name,
                    c -> Softmax.apply(
                            c.runtime(),
                            "SoftmaxBackward0",
                            c.tensor("self"),
                            c.integer("dim", -1),
                            c.typeOrNull("dtype")));
        }
        for (String name : new String[] {"aten.log_softmax", "aten._log_softmax"}) {
            r.single(
                    name,
                    c -> Softmax.apply(
                            c.runtime(),
                            "LogSoftmaxBackward0",
                            c.tensor("self"),
                            c.integer("dim", -1),
                            c.typeOrNull("dtype")));
        }
    }
}
