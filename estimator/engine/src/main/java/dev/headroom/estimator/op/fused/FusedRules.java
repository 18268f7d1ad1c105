package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.rule.Registry;

/** Calls that stand for several, of libraries' heads and losses and of models that see. */
public final class FusedRules {
    private FusedRules() {}

    public static void register(Registry r) {
        r.add("trl.fused_lm_head", FusedHead::run);
        r.single("aten.masked_scatter", MaskedScatter::run);
        r.single("transformers.joined_rows", JoinedRows::run);
        r.single("transformers.bloom_gelu", BloomGelu::run);
        r.single("transformers.mamba_selective_scan", c -> SelectiveScan.run(c, r));
        r.single("peft.hada_weight", c -> HadaWeight.run(c, r));
        r.single("liger.rms_norm", Liger::rmsNorm);
        r.single("liger.rope", Liger::rope);
        r.single("liger.gate", Liger::gate);
        r.single("liger.cross_entropy", LigerLoss::ofScores);
        r.single("liger.fused_linear_cross_entropy", LigerLoss::run);
    }
}
