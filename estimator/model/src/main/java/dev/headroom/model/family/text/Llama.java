package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;

/** Llama 2 and 3, SmolLM and others of their class (transformers, models/llama/modeling_llama.py). */
public final class Llama {
    private static final String CLASS = "transformers.models.llama.modeling_llama.Llama";

    private Llama() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-6);
        AttentionShape shape = AttentionShape.of(p.config, CLASS + "Attention");
        boolean bias = p.config.flag("mlp_bias", false);
        return p.model(
                p.layers(i -> p.layer(new Attention(shape, request, p.pass), p.feedForward(bias))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }
}
