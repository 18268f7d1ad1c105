package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.experts.ExpertBlock;
import dev.headroom.model.family.experts.Experts;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.ListedExperts;
import dev.headroom.model.family.experts.Router;
import dev.headroom.model.family.part.Activations;
import java.util.List;

/**
 * Mixtral and Qwen 3's mixtures of experts (transformers, models/mixtral/modeling_mixtral.py and
 * models/qwen3_moe/modeling_qwen3_moe.py).
 */
public final class Mixtures {
    private static final String MIXTRAL = "transformers.models.mixtral.modeling_mixtral.Mixtral";
    private static final String QWEN3 = "transformers.models.qwen3_moe.modeling_qwen3_moe.Qwen3Moe";

    /** An expert of the versions in which experts are modules. */
    private static final ListedExperts.Expert OF_MIXTRAL =
            new ListedExperts.Expert(MIXTRAL + "BlockSparseTop2MLP", List.of("w1", "w2", "w3"));

    private static final ListedExperts.Expert OF_QWEN =
            new ListedExperts.Expert(QWEN3 + "MLP", List.of("gate_proj", "down_proj", "up_proj"));

    private Mixtures() {}

    /** Mixtral. */
    public static Layer mixtral(Request request) {
        Plain p = new Plain(request, MIXTRAL, 1e-5);
        ModelConfig c = p.config;
        AttentionShape full =
                AttentionShape.of(c, MIXTRAL + "Attention").withBias(false).withOutBias(false);
        AttentionShape shape = c.has("sliding_window") ? full.sliding(c.size("sliding_window")) : full;
        ExpertsShape experts = new ExpertsShape(
                MIXTRAL + "Experts",
                c.size("num_local_experts", 8),
                c.size("num_experts_per_tok", 2),
                p.width,
                c.size("intermediate_size"),
                false);
        return p.model(
                p.layers(i -> p.layer(
                        new Attention(shape, request, p.pass), block(p, experts, Router.Kind.MIXTRAL, OF_MIXTRAL))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** Qwen 3's. */
    public static Layer qwen3(Request request) {
        Plain p = new Plain(request, QWEN3, 1e-6);
        ModelConfig c = p.config;
        AttentionShape full = AttentionShape.of(c, QWEN3 + "Attention");
        boolean slides = c.flag("use_sliding_window", false) && c.has("sliding_window");
        AttentionShape shape = slides ? full.sliding(c.size("sliding_window")) : full;
        ExpertsShape experts = new ExpertsShape(
                QWEN3 + "Experts",
                c.size("num_experts", 128),
                c.size("num_experts_per_tok", 8),
                p.width,
                c.size("moe_intermediate_size"),
                false);
        Router.Kind kind = c.flag("norm_topk_prob", false) ? Router.Kind.QWEN : Router.Kind.QWEN_AS_THEY_ARE;
        long step = c.size("decoder_sparse_step", 1);
        return p.model(
                p.layers(i -> {
                    boolean sparse = !c.texts("mlp_only_layers").contains(Integer.toString(i)) && (i + 1) % step == 0;
                    return p.layer(
                            Qwen.normed(p, shape), sparse ? block(p, experts, kind, OF_QWEN) : p.feedForward(false));
                }),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    private static Layer block(Plain p, ExpertsShape shape, Router.Kind kind, ListedExperts.Expert expert) {
        String type = p.prefix + "SparseMoeBlock";
        if (p.request.scenario().trainer().transformers().expertsAreModules()) {
            return new ListedExperts(
                    type, kind, shape, p.request, expert, () -> Activations.of(p.config, "hidden_act", "silu"));
        }
        return new ExpertBlock(
                type,
                "gate",
                kind == Router.Kind.MIXTRAL,
                new Router(p.prefix + "TopKRouter", kind, shape),
                new Experts(shape, p.request, Activations.of(p.config, "hidden_act", "silu")),
                p.width,
                p.request);
    }
}
