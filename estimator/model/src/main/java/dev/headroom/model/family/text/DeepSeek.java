package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.LatentSelfAttention;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.experts.Experts;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.GroupRouter;
import dev.headroom.model.family.experts.SharedExpertBlock;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.RmsNorm;
import dev.headroom.model.graph.DType;

/** DeepSeek V3 and R1 (transformers, models/deepseek_v3/modeling_deepseek_v3.py): latent attention, shared experts. */
public final class DeepSeek {
    private static final String CLASS = "transformers.models.deepseek_v3.modeling_deepseek_v3.DeepseekV3";
    private static final double NORM_EPS = 1e-6;

    private DeepSeek() {}

    /** The model that a config describes. */
    public static Layer three(Request request) {
        Plain p = new Plain(request, CLASS, NORM_EPS);
        ModelConfig c = p.config;
        LatentSelfAttention.Sizes sizes = new LatentSelfAttention.Sizes(
                c.size("kv_lora_rank", 512),
                c.size("qk_nope_head_dim", 128),
                c.size("qk_rope_head_dim", 64),
                c.size("v_head_dim", 128));
        AttentionShape shape = AttentionShape.of(
                        c.with("head_dim", sizes.plain() + sizes.turned()), CLASS + "Attention")
                .withTurned(sizes.turned());
        Mixture mixture = mixture(p, new Usual(256, 2048, 8, 4, 3), request.type());
        return p.model(
                p.layers(i -> p.layer(
                        new LatentAttention(
                                c, shape, sizes, request, p.pass, w -> new RmsNorm(CLASS + "RMSNorm", w, NORM_EPS)),
                        mixture.part(i))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** What a config that does not say has. */
    record Usual(long experts, long hidden, long groups, long chosenGroups, long dense) {}

    /**
     * The feed-forward parts of a config's layers: dense in the first, then experts beside one for all tokens.
     *
     * @param biasType of the numbers that balance the experts
     */
    static Mixture mixture(Plain p, Usual usual, DType biasType) {
        ModelConfig c = p.config;
        ExpertsShape experts = new ExpertsShape(
                p.prefix + "Experts",
                c.size("n_routed_experts", c.size("num_local_experts", usual.experts)),
                c.size("num_experts_per_tok", 8),
                p.width,
                c.size("moe_intermediate_size", usual.hidden),
                false);
        long groups = c.size("n_group", usual.groups);
        c.divided("n_routed_experts", experts.count(), "n_group", groups);
        return new Mixture(
                p,
                experts,
                biasType,
                new GroupRouter.Groups(
                        groups, c.size("topk_group", usual.chosenGroups), c.flag("norm_topk_prob", true)),
                c.count("first_k_dense_replace", usual.dense),
                experts.hidden() * c.size("n_shared_experts", 1));
    }

    /**
     * Feed-forward parts.
     *
     * @param biasType of the numbers that balance the experts
     * @param dense how many layers have no experts
     * @param shared width of the expert for all tokens
     */
    record Mixture(Plain p, ExpertsShape experts, DType biasType, GroupRouter.Groups groups, long dense, long shared) {
        /** That of a layer. */
        Layer part(int layer) {
            if (layer < dense) {
                return p.feedForward(false);
            }
            return new SharedExpertBlock(
                    p.prefix + "MoE",
                    p.request,
                    new Experts(experts, p.request, Activations.of(p.config, "hidden_act", "silu")),
                    new GroupRouter(p.prefix + "TopkRouter", biasType, experts, groups),
                    p.feedForward(shared, false),
                    p.width);
        }
    }
}
