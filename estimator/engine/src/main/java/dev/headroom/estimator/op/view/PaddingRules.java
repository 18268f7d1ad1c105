package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.rule.Registry;

/** Padding by its names; {@link Padding} plays it. */
public final class PaddingRules {
    private PaddingRules() {}

    public static void register(Registry r) {
        PaddedSequences.register(r);
        r.single("aten.pad", Padding::pad);
        r.single("aten.constant_pad_nd", c -> Padding.constant(c.runtime(), c.tensor("self"), Padding.sizes(c)));
    }
}
