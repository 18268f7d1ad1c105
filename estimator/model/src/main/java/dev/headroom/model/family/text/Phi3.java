package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.FusedAttention;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;
import dev.headroom.model.family.part.FusedFeedForward;

/** Phi 3, 3.5 and 4 mini (transformers, models/phi3/modeling_phi3.py): fused projections, partly turned heads. */
public final class Phi3 {
    private static final String CLASS = "transformers.models.phi3.modeling_phi3.Phi3";

    private Phi3() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5);
        ModelConfig c = p.config;
        AttentionShape all =
                AttentionShape.of(c, CLASS + "Attention").withBias(false).withOutBias(false);
        double part = Plain.turnedPart(c, 1);
        AttentionShape full = all.withTurned((long) (all.size() * part));
        AttentionShape shape = c.has("sliding_window") ? full.sliding(c.size("sliding_window")) : full;
        double dropout = c.number("resid_pdrop", 0);
        return p.model(
                p.layers(i -> new DecoderLayer(
                        CLASS + "DecoderLayer",
                        new FusedAttention(shape, request, p.pass),
                        new FusedFeedForward(
                                CLASS + "MLP",
                                p.width,
                                c.size("intermediate_size"),
                                Activations.of(c, "hidden_act", "silu")),
                        p.norm(p.width),
                        p.norm(p.width),
                        dropout)),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }
}
