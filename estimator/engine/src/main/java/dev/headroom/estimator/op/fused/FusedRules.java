package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.rule.Registry;

/** Calls that stand for several, of libraries' heads and losses and of models that see. */
public final class FusedRules {
    private FusedRules() {}

    public static void register(Registry r) {
        r.add("trl.fused_lm_head", FusedHead::run);
        r.single("aten.masked_scatter", MaskedScatter::run);
        r.single("transformers.joined_rows", JoinedRows::run);
    }
}
