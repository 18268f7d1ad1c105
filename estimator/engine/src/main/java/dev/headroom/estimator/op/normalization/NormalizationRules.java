package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.rule.Registry;

/** Normalisation by its names; {@link BatchNormBackend}, {@link GroupNorm} and {@link LayerNorm} play it. */
public final class NormalizationRules {
    private NormalizationRules() {}

    public static void register(Registry r) {
        // Below aten.batch_norm, as autograd sees them (ATen/native/Normalization.cpp, _batch_norm_impl_index).
        for (String name : new String[] {"aten.batch_norm", "aten.cudnn_batch_norm", "aten.native_batch_norm"}) {
            r.single(name, BatchNormBackend::batchNorm);
        }
        r.single("aten.instance_norm", BatchNormBackend::instanceNorm);
        r.single("aten.group_norm", c -> GroupNorm.run(c, c.integer("num_groups")));
        r.single("aten.native_group_norm", c -> GroupNorm.run(c, c.integer("group")));
        r.single("aten.layer_norm", LayerNorm::layerNorm);
        r.add("aten.native_layer_norm", LayerNorm::nativeLayerNorm);
        r.single("aten.rms_norm", LayerNorm::rmsNorm);
        WeightNorms.register(r);
    }
}
