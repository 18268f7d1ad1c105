package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Entry;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.experts.ExpertBlock;
import dev.headroom.model.family.experts.Experts;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.Router;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;

/** Granite: Llama with multipliers (transformers, models/granite/modeling_granite.py). */
public final class Granite {
    private static final String CLASS = "transformers.models.granite.modeling_granite.Granite";
    private static final String EXPERTS = "transformers.models.granitemoe.modeling_granitemoe.GraniteMoe";

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

    /** The first ones with experts, as PowerMoE and Granite 3's 1B and 3B. */
    public static Layer mixture(Request request) {
        Plain p = new Plain(request, EXPERTS, 1e-6);
        ModelConfig c = p.config;
        AttentionShape shape =
                AttentionShape.of(c, EXPERTS + "Attention").withScale(c.number("attention_multiplier", 1));
        ExpertsShape experts = ExpertsShape.local(EXPERTS + "Experts", c, p.width);
        return p.model(
                p.layers(i -> DecoderLayer.scaledExperts(
                        EXPERTS + "DecoderLayer",
                        new Attention(shape, request, p.pass),
                        new ExpertBlock(
                                EXPERTS + "MoE",
                                "router",
                                true,
                                new Router(EXPERTS + "TopKRouter", Router.Kind.GRANITE, experts, p.pass),
                                new Experts(experts, request, Activations.of(c, "hidden_act", "silu")),
                                p.width,
                                request),
                        p.norm(p.width),
                        p.norm(p.width),
                        c.number("residual_multiplier", 1),
                        "block_sparse_moe")),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape)
                        .with(Entry.scaledLate(c.number("embedding_multiplier", 1))),
                false,
                Scores.divided(c.number("logits_scaling", 1)),
                "Model");
    }
}
