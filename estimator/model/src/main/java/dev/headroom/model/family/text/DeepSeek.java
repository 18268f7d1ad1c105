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
        ExpertsShape experts = new ExpertsShape(
                CLASS + "Experts",
                c.size("n_routed_experts", c.size("num_local_experts", 256)),
                c.size("num_experts_per_tok", 8),
                p.width,
                c.size("moe_intermediate_size", 2048),
                false);
        long groups = c.size("n_group", 8);
        c.divided("n_routed_experts", experts.count(), "n_group", groups);
        GroupRouter.Groups chosen =
                new GroupRouter.Groups(groups, c.size("topk_group", 4), c.flag("norm_topk_prob", true));
        long dense = c.count("first_k_dense_replace", 3);
        long shared = experts.hidden() * c.size("n_shared_experts", 1);
        return p.model(
                p.layers(i -> p.layer(
                        new LatentAttention(
                                c, shape, sizes, request, p.pass, w -> new RmsNorm(CLASS + "RMSNorm", w, NORM_EPS)),
                        i < dense
                                ? p.feedForward(false)
                                : new SharedExpertBlock(
                                        CLASS + "MoE",
                                        request,
                                        new Experts(experts, request, Activations.of(c, "hidden_act", "silu")),
                                        new GroupRouter(CLASS + "TopkRouter", request, experts, chosen),
                                        p.feedForward(shared, false),
                                        p.width))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }
}
