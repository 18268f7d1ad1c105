package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Activations;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.DecoderLayer;
import dev.headroom.model.family.decoder.GatedFeedForward;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RmsNorm;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import java.util.ArrayList;
import java.util.List;

/** Llama 2 and 3, SmolLM and others of their class (transformers, models/llama/modeling_llama.py). */
public final class Llama {
    private static final String CLASS = "transformers.models.llama.modeling_llama.Llama";

    private Llama() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        long width = c.size("hidden_size");
        long heads = c.size("num_attention_heads");
        long keys = c.size("num_key_value_heads", heads);
        c.divided("num_attention_heads", heads, "num_key_value_heads", keys);
        long size =
                c.has("head_dim") ? c.size("head_dim") : c.divided("hidden_size", width, "num_attention_heads", heads);
        double eps = c.number("rms_norm_eps", 1e-6);
        boolean bias = c.flag("attention_bias", false);
        Attention.Shape shape = new Attention.Shape(
                CLASS + "Attention", width, heads, keys, size, bias, bias, 1 / Math.sqrt((double) size), Decoder.FULL);
        Pass pass = new Pass();
        List<Layer> layers = new ArrayList<>();
        for (long i = c.size("num_hidden_layers"); i > 0; i--) {
            layers.add(new DecoderLayer(
                    CLASS + "DecoderLayer",
                    new Attention(shape, request, pass),
                    new GatedFeedForward(
                            CLASS + "MLP",
                            width,
                            c.size("intermediate_size"),
                            c.flag("mlp_bias", false),
                            Activations.of(c, "hidden_act", "silu")),
                    new RmsNorm(CLASS + "RMSNorm", width, eps),
                    new RmsNorm(CLASS + "RMSNorm", width, eps)));
        }
        long vocabulary = c.size("vocab_size");
        Decoder decoder = new Decoder(
                CLASS + "Model",
                request,
                pass,
                vocabulary,
                width,
                layers,
                new RmsNorm(CLASS + "RMSNorm", width, eps),
                new RotaryEmbedding(CLASS + "RotaryEmbedding", request, size));
        return new CausalLanguageModel(
                CLASS + "ForCausalLM", request, pass, vocabulary, width, c.flag("tie_word_embeddings", false), decoder);
    }
}
