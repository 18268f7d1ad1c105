package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.rule.Registry;

/** Normalisation by its names; {@link BatchNormBackend}, {@link GroupNorm} and {@link LayerNorm} play it. */
public final class NormalizationRules {
    private NormalizationRules() {}

    public static void register(Registry r) {
        r.single("aten.batch_norm", BatchNormBackend::batchNorm);
        r.single("aten.instance_norm", BatchNormBackend::instanceNorm);
        r.single("aten.group_norm", GroupNorm::run);
        r.single("aten.layer_norm", LayerNorm::layerNorm);
        r.add("aten.native_layer_norm", LayerNorm::nativeLayerNorm);
        r.single("aten.rms_norm", LayerNorm::rmsNorm);
    }
}
