package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;

/** Mistral, all of whose layers may see a window (transformers, models/mistral/modeling_mistral.py). */
public final class Mistral {
    private static final String CLASS = "transformers.models.mistral.modeling_mistral.Mistral";
    private static final long WINDOW = 4096;

    private Mistral() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-6);
        AttentionShape full =
                AttentionShape.of(p.config, CLASS + "Attention").withBias(false).withOutBias(false);
        boolean slides = p.config.has("sliding_window") || !p.config.names("sliding_window");
        AttentionShape shape = slides ? full.sliding(p.config.size("sliding_window", WINDOW)) : full;
        return p.model(
                p.layers(i -> p.layer(new Attention(shape, request, p.pass), p.feedForward(false))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }
}
