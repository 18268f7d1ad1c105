package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Entry;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.ParallelLayer;

/** Phi 1, 1.5 and 2 (transformers, models/phi/modeling_phi.py). */
public final class Phi {
    private static final String CLASS = "transformers.models.phi.modeling_phi.Phi";
    private static final double HALF = 0.5;

    private Phi() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5);
        ModelConfig c = p.config;
        AttentionShape all =
                AttentionShape.of(c, CLASS + "Attention").withBias(true).withOutBias(true);
        AttentionShape shape = all.withTurned((long) (all.size() * Plain.turnedPart(c, HALF)));
        Attention.Norms norms = c.flag("qk_layernorm", false) ? Attention.Norms.TURNED_HEADS : Attention.Norms.NONE;
        return p.model(
                p.layers(i -> new ParallelLayer(
                        CLASS + "DecoderLayer",
                        ParallelLayer.Order.PHI,
                        Attention.normed(
                                shape,
                                request,
                                p.pass,
                                SelfAttention.Turn.CUT,
                                norms,
                                Layers::layerNorm,
                                Attention.Names.layerNormed("dense")),
                        feedForward(c, p.width),
                        Layers.layerNorm(p.width),
                        c.number("resid_pdrop", 0))),
                new Decoder.Shared(p.embeddings(), Layers.layerNorm(p.width), p.rotary(shape), shape)
                        .with(Entry.dropping(c.number("embd_pdrop", 0))),
                false,
                Scores.ofBiasedHead(),
                "Model");
    }

    private static Layer feedForward(ModelConfig c, long width) {
        long hidden = c.size("intermediate_size");
        return new NamedSequence(CLASS + "MLP", "fc1", "activation_fn", "fc2")
                .with("activation_fn", Activations.of(c, "hidden_act", "gelu_new"))
                .with("fc1", Layers.linear(width, hidden))
                .with("fc2", Layers.linear(hidden, width));
    }
}
