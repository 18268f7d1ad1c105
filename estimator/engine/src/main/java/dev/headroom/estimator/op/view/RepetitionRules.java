package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.rule.Registry;

/** Repetition by its names; {@link Repetition} plays it. */
public final class RepetitionRules {
    private RepetitionRules() {}

    public static void register(Registry r) {
        r.single("aten.repeat", c -> Repetition.repeat(c.runtime(), c.tensor("self"), c.integers("repeats")));
        r.single("aten.tile", c -> Repetition.tile(c.runtime(), c.tensor("self"), c.integers("dims")));
    }
}
