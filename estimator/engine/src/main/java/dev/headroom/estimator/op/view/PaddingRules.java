package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.rule.Registry;

/** Padding by its names; {@link Padding} plays it. */
public final class PaddingRules {
    private PaddingRules() {}

    public static void register(Registry r) {
        PaddedSequences.register(r);
        r.single("aten.pad", Padding::pad);
        for (int n = 1; n <= 3; n++) {
            r.single("aten.reflection_pad" + n + "d", c -> Padding.mirrored(c, "Reflection"));
            r.single("aten.replication_pad" + n + "d", c -> Padding.mirrored(c, "Replication"));
        }
        r.single("aten.constant_pad_nd", c -> Padding.constant(c.runtime(), c.tensor("self"), Padding.sizes(c)));
    }
}
