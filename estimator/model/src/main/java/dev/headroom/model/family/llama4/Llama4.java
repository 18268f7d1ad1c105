package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ConfigDefaults;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.vision.ImageTokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Llama 4, with images and without (transformers, models/llama4/modeling_llama4.py). */
public final class Llama4 {
    static final String CLASS = "transformers.models.llama4.modeling_llama4.Llama4";
    static final double EPS = 1e-5;
    private static final String ALL_LINEAR = "all-linear";

    private Llama4() {}

    /** The model that a config describes. */
    public static Layer text(Request request) {
        ModelConfig given = request.config();
        if (request.scenario().adapters().targets().contains(ALL_LINEAR)) {
            throw new UserInputException(
                    given.source() + ": `targets=" + ALL_LINEAR + "` includes Llama 4's router, whose"
                            + " two results peft cannot add to; pass `targets=q_proj,k_proj,v_proj,o_proj`");
        }
        ModelConfig c = given.has("head_dim") ? given : given.with("head_dim", 128L);
        if (request.scenario().kernels().compile()) { // whose compiler generates no code for complex numbers
            throw new UserInputException(
                    given.source() + ": `compile` is not modelled for the complex numbers that turn"
                            + " Llama 4's heads; leave it out");
        }
        Pass pass = new Pass();
        long width = c.size("hidden_size");
        double eps = c.number("rms_norm_eps", EPS);
        AttentionShape full = AttentionShape.of(c, CLASS + "TextAttention").withNarrow(true);
        AttentionShape chunked = full.withKind(AttentionShape.CHUNKED).withWindow(c.size("attention_chunk_size", 8192));
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            boolean turns = turns(c, i);
            layers.add(new TextLayer(
                    request,
                    width,
                    new TextAttention(chunks(c, i, turns) ? chunked : full, request, pass, turns),
                    mixes(c, i) ? new Mixture(c) : Mixture.feedForward(c, c.size("intermediate_size_mlp", 16_384)),
                    Norm.rms(width, eps),
                    Norm.rms(width, eps)));
        }
        Map<String, Long> windows = new LinkedHashMap<>();
        windows.put(AttentionShape.FULL, Masks.NO_WINDOW);
        windows.put(AttentionShape.CHUNKED, chunked.window());
        Layer embeddings = Layers.embedding(c.size("vocab_size"), width);
        Layer rotary = new ComplexRotary(request, full.size());
        Decoder decoder = new Decoder(
                CLASS + "TextModel",
                request,
                pass,
                layers,
                new Decoder.Shared(embeddings, Norm.rms(width, eps), rotary, windows, List.of()));
        return DecoderHeads.of(
                DecoderHeads.Names.usual(CLASS),
                request,
                pass,
                width,
                decoder,
                () -> new CausalLanguageModel(
                        CLASS + "ForCausalLM",
                        request,
                        pass,
                        c.size("vocab_size"),
                        width,
                        c.flag("tie_word_embeddings", false),
                        decoder));
    }

    /** The model with a tower that sees. */
    public static Layer images(Request request) {
        ModelConfig c = request.config();
        ModelConfig words = c.section("text_config").with("model_type", "llama4_text");
        Request inner = new Request(ConfigDefaults.of(words, ""), request.scenario()); // caches as it is told
        CausalLanguageModel language = ImageTokens.language(inner, Llama4::text, "Llama 4");
        return new Seeing(vision(c), language, request, inner.config().size("hidden_size"));
    }

    /** The config of its vision tower, with all entries. */
    public static ModelConfig vision(ModelConfig c) {
        return ConfigDefaults.of(c.section("vision_config").with("model_type", "llama4_vision_model"), "");
    }

    /** Whether a layer has positions. */
    private static boolean turns(ModelConfig c, int layer) {
        List<String> given = c.texts("no_rope_layers");
        return given.isEmpty()
                ? (layer + 1) % c.size("no_rope_layer_interval", 4) != 0
                : !entry(c, "no_rope_layers", given, layer).equals("0");
    }

    private static boolean chunks(ModelConfig c, int layer, boolean turns) {
        List<String> given = c.texts("layer_types");
        return given.isEmpty() ? turns : entry(c, "layer_types", given, layer).equals(AttentionShape.CHUNKED);
    }

    /** Whether a layer has experts. */
    private static boolean mixes(ModelConfig c, int layer) {
        return c.has("moe_layers")
                ? c.texts("moe_layers").contains(Integer.toString(layer))
                : (layer + 1) % c.size("interleave_moe_layer_step", 1) == 0;
    }

    private static String entry(ModelConfig c, String key, List<String> entries, int layer) {
        if (layer >= entries.size()) {
            throw new UserInputException(c.source() + ": " + key + " has " + entries.size()
                    + " entries, num_hidden_layers is " + c.size("num_hidden_layers") + "; give each layer its own");
        }
        return entries.get(layer);
    }
}
