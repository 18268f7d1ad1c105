package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.decoder.ScaledEmbedding;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.SandwichLayer;
import dev.headroom.model.family.part.ShiftedRmsNorm;
import java.util.List;

/**
 * Gemma 2 and the text models of Gemma 3 (transformers, models/gemma2/modeling_gemma2.py and
 * models/gemma3/modeling_gemma3.py): norms around both parts of a layer, windows in some layers.
 */
public final class Gemma {
    private static final String GEMMA = "transformers.models.gemma.modeling_gemma.Gemma";
    private static final String GEMMA2 = "transformers.models.gemma2.modeling_gemma2.Gemma2";
    private static final String GEMMA3 = "transformers.models.gemma3.modeling_gemma3.Gemma3";
    private static final long HEAD = 256;
    private static final long WINDOW = 4096;
    private static final double SCALAR = 256;

    private Gemma() {}

    /** Gemma, the first: Llama with Gemma's norms and embeddings. */
    public static Layer one(Request request) {
        Plain p = new Plain(request, GEMMA, 1e-6);
        ModelConfig c = p.config.has("head_dim") ? p.config : p.config.with("head_dim", HEAD);
        AttentionShape shape = AttentionShape.of(c, GEMMA + "Attention");
        return p.model(
                p.layers(i -> new DecoderLayer(
                        GEMMA + "DecoderLayer",
                        new Attention(shape, request, p.pass),
                        new GatedFeedForward(
                                GEMMA + "MLP",
                                p.width,
                                c.size("intermediate_size"),
                                false,
                                Activations.of(c, "hidden_act", "gelu_pytorch_tanh")),
                        norm(p, p.width),
                        norm(p, p.width))),
                new Decoder.Shared(embeddings(p), norm(p, p.width), p.rotary(shape), shape),
                true);
    }

    /** Gemma 2: scores and logits are bent, every other layer slides. */
    public static Layer two(Request request) {
        Plain p = new Plain(request, GEMMA2, 1e-6);
        AttentionShape shape = shape(p, GEMMA2).withSoftcap(cap(p.config, "attn_logit_softcapping", 50));
        Plain.Kinds kinds = p.kinds(shape, p.config.size("sliding_window", WINDOW), i -> (i + 1) % 2 != 0, true);
        return p.model(
                p.layers(i -> layer(p, new Attention(kinds.shapes().get(i), request, p.pass))),
                new Decoder.Shared(embeddings(p), norm(p, p.width), p.rotary(shape), kinds.windows(), List.of()),
                true,
                Scores.capped(cap(p.config, "final_logit_softcapping", 30)),
                "Model");
    }

    /** The text models of Gemma 3: norms of heads, and a rotation for each kind of layers. */
    public static Layer three(Request request) {
        Plain p = new Plain(request, GEMMA3, 1e-6);
        if (p.config.flag("use_bidirectional_attention", false)) {
            throw new UserInputException(p.config.source()
                    + ": Gemma 3 with bidirectional attention is not written; export the model instead");
        }
        AttentionShape shape = shape(p, GEMMA3);
        long pattern = p.config.size("sliding_window_pattern", 6);
        Plain.Kinds kinds = p.kinds(shape, p.config.size("sliding_window", WINDOW), i -> (i + 1) % pattern != 0, true);
        List<String> own = kinds.present();
        return p.model(
                p.layers(i -> layer(
                        p,
                        new Attention(
                                kinds.shapes().get(i),
                                request,
                                p.pass,
                                SelfAttention.Turn.WHOLE,
                                Attention.Norms.TURNED_HEADS,
                                size -> norm(p, size)))),
                new Decoder.Shared(
                        embeddings(p),
                        norm(p, p.width),
                        new RotaryEmbedding(GEMMA3 + "RotaryEmbedding", request, shape.turned(), own, false),
                        kinds.windows(),
                        own),
                true,
                Scores.capped(cap(p.config, "final_logit_softcapping", 0)),
                "TextModel");
    }

    private static AttentionShape shape(Plain p, String prefix) {
        ModelConfig c = p.config.has("head_dim") ? p.config : p.config.with("head_dim", HEAD);
        return AttentionShape.of(c, prefix + "Attention")
                .withScale(1 / Math.sqrt(c.number("query_pre_attn_scalar", SCALAR)));
    }

    /** What a config says, null for none, or else a default. */
    private static double cap(ModelConfig c, String key, double otherwise) {
        return c.names(key) ? c.number(key, 0) : otherwise;
    }

    private static Layer norm(Plain p, long size) {
        return new ShiftedRmsNorm(p.prefix + "RMSNorm", size, p.eps);
    }

    private static Layer embeddings(Plain p) {
        return new ScaledEmbedding(p.prefix + "TextScaledWordEmbedding", p.request, p.vocabulary(), p.width);
    }

    private static Layer layer(Plain p, Layer attention) {
        return new SandwichLayer(
                p.prefix + "DecoderLayer",
                attention,
                new GatedFeedForward(
                        p.prefix + "MLP",
                        p.width,
                        p.config.size("intermediate_size"),
                        false,
                        Activations.of(p.config, "hidden_activation", "gelu_pytorch_tanh")),
                new SandwichLayer.Norms(norm(p, p.width), norm(p, p.width), norm(p, p.width), norm(p, p.width)));
    }
}
