package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.experts.ExpertBlock;
import dev.headroom.model.family.experts.Experts;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.Router;
import java.util.List;

/** gpt-oss (transformers, models/gpt_oss/modeling_gpt_oss.py): experts, attention sinks, alternate windows. */
public final class GptOss {
    private static final String CLASS = "transformers.models.gpt_oss.modeling_gpt_oss.GptOss";

    private GptOss() {}

    /** The model that a config describes. */
    public static Layer of(Request asked) {
        Request request = asked.eagerly();
        Plain p = new Plain(request, CLASS, 1e-5, true);
        ModelConfig given = p.config;
        ModelConfig c = given.has("head_dim") ? given : given.with("head_dim", 64L);
        boolean bias = c.flag("attention_bias", true);
        AttentionShape shape =
                AttentionShape.of(c, CLASS + "Attention").withBias(bias).withOutBias(bias);
        Plain.Kinds kinds = p.kinds(shape, c.size("sliding_window", 128), i -> (i + 1) % 2 != 0, true);
        ExpertsShape experts = new ExpertsShape(
                CLASS + "Experts",
                c.size("num_local_experts", 128),
                c.size("num_experts_per_tok", 4),
                p.width,
                c.size("intermediate_size"),
                true);
        return p.model(
                p.layers(i -> p.layer(
                        Attention.withSinks(kinds.shapes().get(i), request, p.pass),
                        new ExpertBlock(
                                CLASS + "MLP",
                                "router",
                                true,
                                new Router(CLASS + "TopKRouter", Router.Kind.GPT_OSS, experts, p.pass),
                                new Experts(experts, request, null),
                                p.width,
                                request))),
                new Decoder.Shared(
                                p.embeddings(),
                                p.norm(p.width),
                                RotaryEmbedding.halves(CLASS + "RotaryEmbedding", request, shape.turned()),
                                kinds.windows(),
                                List.of())
                        .withoutLook(),
                false);
    }
}
