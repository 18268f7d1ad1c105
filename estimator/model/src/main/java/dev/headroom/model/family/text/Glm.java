package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.FusedFeedForward;
import dev.headroom.model.family.part.SandwichLayer;
import dev.headroom.model.graph.DType;

/**
 * GLM 4: neighbouring elements of half a head are turned (transformers, models/glm/modeling_glm.py and
 * models/glm4/modeling_glm4.py, which adds norms after both parts of a layer).
 */
public final class Glm {
    private static final String FIRST = "transformers.models.glm.modeling_glm.Glm";
    private static final String FOURTH = "transformers.models.glm4.modeling_glm4.Glm4";
    private static final String MIXTURE = "transformers.models.glm4_moe.modeling_glm4_moe.Glm4Moe";
    private static final long HEAD = 128;
    private static final double HALF = 0.5;

    private Glm() {}

    /** {@code glm}: GLM 4 9B as it came first. */
    public static Layer one(Request request) {
        Plain p = new Plain(request, FIRST, 1.5625e-7);
        return model(p, (attention, feedForward) -> p.layer(attention, feedForward));
    }

    /** {@code glm4}. */
    public static Layer four(Request request) {
        Plain p = new Plain(request, FOURTH, 1.5625e-7);
        return model(
                p,
                (attention, feedForward) -> SandwichLayer.glm(
                        FOURTH + "DecoderLayer",
                        attention,
                        feedForward,
                        p.norm(p.width),
                        p.norm(p.width),
                        p.norm(p.width),
                        p.norm(p.width)));
    }

    /** {@code glm4_moe}: GLM 4.5 and 4.6, with DeepSeek's experts and heads of which half is turned. */
    public static Layer mixture(Request request) {
        Plain p = new Plain(request, MIXTURE, 1e-5);
        AttentionShape all = AttentionShape.of(p.config, MIXTURE + "Attention").withOutBias(false);
        AttentionShape shape = all.withTurned((long) (all.size() * Plain.turnedPart(p.config, HALF)));
        Attention.Norms norms =
                p.config.flag("use_qk_norm", false) ? Attention.Norms.VIEWED_HEADS : Attention.Norms.VIEWED;
        DeepSeek.Mixture parts = DeepSeek.mixture(p, new DeepSeek.Usual(128, 1408, 1, 1, 1), DType.FLOAT32);
        return p.model(
                p.layers(i -> p.layer(
                        new Attention(
                                shape,
                                request,
                                p.pass,
                                SelfAttention.Turn.PART_FIRST,
                                norms,
                                heads -> p.norm(shape.size())),
                        parts.part(i))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    private interface Layering {
        Layer of(Layer attention, Layer feedForward);
    }

    private static Layer model(Plain p, Layering layering) {
        ModelConfig c = p.config.has("head_dim") ? p.config : p.config.with("head_dim", HEAD);
        AttentionShape all = AttentionShape.of(c, p.prefix + "Attention")
                .withBias(c.flag("attention_bias", true))
                .withOutBias(false);
        AttentionShape shape = all.withTurned((long) (all.size() * Plain.turnedPart(c, HALF)));
        return p.model(
                p.layers(i -> layering.of(
                        Attention.named(
                                shape, p.request, p.pass, SelfAttention.Turn.REPEATED_PAIRS, Attention.Names.USUAL),
                        new FusedFeedForward(
                                p.prefix + "MLP",
                                p.width,
                                c.size("intermediate_size"),
                                Activations.of(c, "hidden_act", "silu")))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }
}
