package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.adapter.peft.graph.LayerWriter;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.error.UserInputException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A layer of peft around one of the model. */
public interface AdapterLayer {
    /** Its modules and tensors. */
    Wrapping wrapping();

    /**
     * Writes what its call runs.
     *
     * @param weights values of the wrapped layer's tensors by their names in it
     */
    void write(LayerWriter w, Map<String, String> weights);

    /**
     * The layer that peft makes.
     *
     * @param shared what VeRA's layers share; {@code null} without them
     */
    static AdapterLayer of(
            Layer layer, CallSpan call, AdapterOptions options, Surroundings run, @Nullable Projection shared) {
        AdapterMethod method = options.method();
        if (method == null) {
            return switch (layer.kind()) {
                case EMBEDDING -> new LoraEmbedding(layer, call, options, run);
                case CONVOLUTION -> new LoraConvolution(layer, call, options, run);
                default -> new LoraLayer(layer, options, run);
            };
        }
        if (!layer.kind().takes(method)) {
            String name = method.name().toLowerCase(Locale.ROOT);
            throw new UserInputException("`adapter=" + name + "`: '" + layer.path() + "' is "
                    + layer.kind().words()
                    + ", which gets no such adapter here; name other modules with `targets`, or pass `lora` instead");
        }
        return switch (method) {
            case IA3 -> Ia3Layer.of(layer, call, options, run);
            case ADALORA -> new SvdLayer(layer, options, run);
            case LOHA, LOKR -> new DeltaLayer(layer, options);
            case VERA -> new VeraLayer(layer, Objects.requireNonNull(shared, "VeRA's matrices"), options, run);
            case OFT -> new OftLayer(layer, options, run);
            case PROMPT_TUNING, P_TUNING, PREFIX_TUNING, LN_TUNING ->
                throw new IllegalStateException("no layer of " + method);
        };
    }
}
