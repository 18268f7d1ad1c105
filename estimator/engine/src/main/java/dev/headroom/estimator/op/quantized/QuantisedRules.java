package dev.headroom.estimator.op.quantized;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.model.quant.pass.QuantisedOperators;

/** Layers with quantised weights, and what preparing a model for training adds to it. */
public final class QuantisedRules {
    private QuantisedRules() {}

    public static void register(Registry r) {
        r.single(QuantisedOperators.LINEAR_4BIT, Linear4Bit::run);
        r.single(QuantisedOperators.LINEAR_8BIT, Linear8Bit::run);
        r.single(QuantisedOperators.DEQUANTIZE_4BIT, Dequantisation::of4Bit);
        r.single(QuantisedOperators.DEQUANTIZE_8BIT, Dequantisation::of8Bit);
    }
}
