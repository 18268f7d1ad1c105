package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Entry;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.part.DecoderLayer;

/** Granite: Llama with multipliers (transformers, models/granite/modeling_granite.py). */
public final class Granite {
    private static final String CLASS = "transformers.models.granite.modeling_granite.Granite";

    private Granite() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-6);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, CLASS + "Attention").withScale(c.number("attention_multiplier", 1));
        boolean bias = c.flag("mlp_bias", false);
        return p.model(
                p.layers(i -> DecoderLayer.scaled(
                        CLASS + "DecoderLayer",
                        new Attention(shape, request, p.pass),
                        p.feedForward(bias),
                        p.norm(p.width),
                        p.norm(p.width),
                        c.number("residual_multiplier", 1))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape)
                        .with(Entry.scaled(c.number("embedding_multiplier", 1))),
                false,
                Scores.divided(c.number("logits_scaling", 1)),
                "Model");
    }
}
