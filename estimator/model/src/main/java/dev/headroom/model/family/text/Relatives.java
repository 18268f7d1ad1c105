package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.SandwichLayer;
import java.util.List;

/**
 * Families that differ from Llama in a line or two: Arcee, Ministral, Seed-OSS and EXAONE 4 (transformers,
 * models/arcee, models/ministral, models/seed_oss and models/exaone4).
 */
public final class Relatives {
    private static final String ARCEE = "transformers.models.arcee.modeling_arcee.Arcee";
    private static final String MINISTRAL = "transformers.models.ministral.modeling_ministral.Ministral";
    private static final String SEED = "transformers.models.seed_oss.modeling_seed_oss.SeedOss";
    private static final String EXAONE = "transformers.models.exaone4.modeling_exaone4.Exaone4";
    private static final String WINDOW = "sliding_window";
    private static final long USUAL_WINDOW = 4096;
    private static final double DROPOUT = 0.1;

    private Relatives() {}

    /** Arcee: a feed-forward part without a gate. */
    public static Layer arcee(Request request) {
        Plain p = new Plain(request, ARCEE, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, ARCEE + "Attention");
        boolean bias = c.flag("mlp_bias", false);
        long hidden = c.size("intermediate_size");
        return p.model(
                p.layers(i -> p.layer(
                        new Attention(shape, request, p.pass),
                        new NamedSequence(ARCEE + "MLP", "up_proj", "act_fn", "down_proj")
                                .with("up_proj", Layers.linear(p.width, hidden, bias))
                                .with("down_proj", Layers.linear(hidden, p.width, bias))
                                .with("act_fn", Activations.of(c, "hidden_act", "relu2")))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** Ministral: Mistral with windows in some layers. */
    public static Layer ministral(Request request) {
        Plain p = new Plain(request, MINISTRAL, 1e-6);
        AttentionShape shape = AttentionShape.of(p.config, MINISTRAL + "Attention")
                .withBias(false)
                .withOutBias(false);
        boolean slides = slides(p.config);
        Plain.Kinds kinds = p.kinds(shape, p.config.size(WINDOW, USUAL_WINDOW), i -> slides, slides);
        return p.model(
                p.layers(i -> p.layer(new Attention(kinds.shapes().get(i), request, p.pass), p.feedForward(false))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), kinds.windows(), List.of()),
                false);
    }

    /** Seed-OSS: dropout after attention and after the feed-forward part. */
    public static Layer seed(Request request) {
        Plain p = new Plain(request, SEED, 1e-6);
        ModelConfig c = p.config.has("head_dim") ? p.config : p.config.with("head_dim", 128L);
        double dropout = c.number("residual_dropout", DROPOUT);
        AttentionShape shape = AttentionShape.of(c, SEED + "Attention")
                .withBias(c.flag("attention_bias", true))
                .withOutBias(c.flag("attention_out_bias", false))
                .withDropout(c.number("attention_dropout", DROPOUT));
        return p.model(
                p.layers(i -> p.layer(
                        Attention.named(
                                shape, request, p.pass, SelfAttention.Turn.WHOLE, Attention.Names.dropping(dropout)),
                        new GatedFeedForward(
                                SEED + "MLP",
                                p.width,
                                c.size("intermediate_size"),
                                c.flag("mlp_bias", false),
                                Activations.of(c, "hidden_act", "silu"),
                                dropout))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** EXAONE 4: norms of heads and after each part; where some layers slide, the others know no positions. */
    public static Layer exaone(Request request) {
        Plain p = new Plain(request, EXAONE, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape =
                AttentionShape.of(c, EXAONE + "Attention").withBias(false).withOutBias(false);
        boolean slides = slides(c);
        boolean counted = c.entries().get("sliding_window_pattern") instanceof Long;
        long pattern = counted ? c.size("sliding_window_pattern") : 4;
        Plain.Kinds kinds = p.kinds(shape, c.size(WINDOW, USUAL_WINDOW), i -> slides && (i + 1) % pattern != 0, false);
        return p.model(
                p.layers(i -> new SandwichLayer(
                        EXAONE + "DecoderLayer",
                        new Attention(
                                kinds.shapes().get(i),
                                request,
                                p.pass,
                                turns(slides, kinds.shapes().get(i)),
                                Attention.Norms.TURNED_HEADS,
                                p::norm),
                        p.feedForward(false),
                        new SandwichLayer.Norms(null, p.norm(p.width), null, p.norm(p.width)))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), kinds.windows(), List.of()),
                false);
    }

    private static SelfAttention.Turn turns(boolean slides, AttentionShape shape) {
        boolean all = !slides || shape.kind().equals(AttentionShape.SLIDING);
        return all ? SelfAttention.Turn.WHOLE : SelfAttention.Turn.NONE;
    }

    /** A config may say that there is no window by null; one that says nothing has the usual one. */
    private static boolean slides(ModelConfig c) {
        return c.has(WINDOW) || !c.names(WINDOW);
    }
}
