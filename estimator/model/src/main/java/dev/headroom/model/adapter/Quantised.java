package dev.headroom.model.adapter;

import java.util.Map;

/** How adapters look at quantised weights. */
final class Quantised {
    private Quantised() {}

    /** {@code dequantize_module_weight(base_layer)}. */
    static String dequantized(LayerWriter w, Layer layer, Map<String, String> weights) {
        return weights.getOrDefault("weight", "");
    }
}
