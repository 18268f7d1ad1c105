package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.SandwichLayer;
import java.util.List;

/** OLMo 2 (transformers, models/olmo2/modeling_olmo2.py): norms after both parts of a layer and of all heads. */
public final class Olmo2 {
    private static final String CLASS = "transformers.models.olmo2.modeling_olmo2.Olmo2";

    private Olmo2() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5, true);
        AttentionShape shape = AttentionShape.of(p.config, CLASS + "Attention");
        return p.model(
                p.layers(i -> new SandwichLayer(
                        CLASS + "DecoderLayer",
                        new Attention(shape, request, p.pass, SelfAttention.Turn.WIDE, Attention.Norms.WHOLE, p::norm),
                        p.feedForward(false),
                        new SandwichLayer.Norms(null, p.norm(p.width), null, p.norm(p.width)))),
                new Decoder.Shared(
                        p.embeddings(),
                        p.norm(p.width),
                        new RotaryEmbedding(CLASS + "RotaryEmbedding", request, shape.turned(), List.of(), true),
                        shape),
                false);
    }
}
