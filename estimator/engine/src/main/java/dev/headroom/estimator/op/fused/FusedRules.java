package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.rule.Registry;

/** Calls that passes put in the place of a head and its loss. */
public final class FusedRules {
    private FusedRules() {}

    public static void register(Registry r) {
        r.add("trl.fused_lm_head", FusedHead::run);
        r.single("aten.masked_scatter", MaskedScatter::run);
    }
}
