package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import java.util.Map;

/** A layer of peft around one of the model. */
interface AdapterLayer {
    /** Its modules and tensors. */
    Wrapping wrapping();

    /**
     * Writes what its call runs.
     *
     * @param weights values of the wrapped layer's tensors by their names in it
     */
    void write(LayerWriter w, Map<String, String> weights);

    /** The layer that peft makes. */
    static AdapterLayer of(Layer layer, CallSpan call, AdapterOptions options, Surroundings run) {
        if (options.ia3()) {
            return Ia3Layer.of(layer, call, options, run);
        }
        return switch (layer.kind()) {
            case EMBEDDING -> new LoraEmbedding(layer, call, options, run);
            case CONVOLUTION -> new LoraConvolution(layer, call, options, run);
            default -> new LoraLayer(layer, options, run);
        };
    }
}
