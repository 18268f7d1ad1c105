package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import java.util.List;

/** Qwen 2, 2.5 and 3 (transformers, models/qwen2/modeling_qwen2.py, models/qwen3/modeling_qwen3.py). */
public final class Qwen {
    private static final String QWEN2 = "transformers.models.qwen2.modeling_qwen2.Qwen2";
    private static final String QWEN3 = "transformers.models.qwen3.modeling_qwen3.Qwen3";
    private static final long WINDOW = 4096;
    private static final long FIRST_SLIDING = 28;
    private static final long HEAD = 128;

    private Qwen() {}

    /** Qwen 2 and 2.5: projections with biases. */
    public static Layer two(Request request) {
        Plain p = new Plain(request, QWEN2, 1e-6);
        AttentionShape shape =
                AttentionShape.of(p.config, QWEN2 + "Attention").withBias(true).withOutBias(false);
        Plain.Kinds kinds = kinds(p, shape);
        return p.model(
                p.layers(i -> p.layer(new Attention(kinds.shapes().get(i), request, p.pass), p.feedForward(false))),
                shared(p, shape, kinds),
                false);
    }

    /** Qwen 3: norms of heads. */
    public static Layer three(Request request) {
        Plain p = new Plain(request, QWEN3, 1e-6);
        AttentionShape shape = AttentionShape.of(
                p.config.has("head_dim") ? p.config : p.config.with("head_dim", HEAD), QWEN3 + "Attention");
        Plain.Kinds kinds = kinds(p, shape);
        return p.model(
                p.layers(i -> p.layer(normed(p, kinds.shapes().get(i)), p.feedForward(false))),
                shared(p, shape, kinds),
                false);
    }

    static Layer normed(Plain p, AttentionShape shape) {
        return new Attention(shape, p.request, p.pass, SelfAttention.Turn.WHOLE, Attention.Norms.HEADS, p::norm);
    }

    private static Plain.Kinds kinds(Plain p, AttentionShape shape) {
        boolean slides = p.config.flag("use_sliding_window", false)
                && (p.config.has("sliding_window") || !p.config.names("sliding_window"));
        long first = p.config.count("max_window_layers", FIRST_SLIDING);
        return p.kinds(shape, p.config.size("sliding_window", WINDOW), i -> slides && i >= first, false);
    }

    private static Decoder.Shared shared(Plain p, AttentionShape shape, Plain.Kinds kinds) {
        return new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), kinds.windows(), List.of());
    }
}
