package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.experts.ExpertBlock;
import dev.headroom.model.family.experts.Experts;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.GatedSharedBlock;
import dev.headroom.model.family.experts.ListedExperts;
import dev.headroom.model.family.experts.Router;
import dev.headroom.model.family.part.Activations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mixtral, Qwen's and OLMo's mixtures of experts (transformers, models/mixtral/modeling_mixtral.py,
 * models/qwen2_moe/modeling_qwen2_moe.py, models/qwen3_moe/modeling_qwen3_moe.py, models/olmoe/modeling_olmoe.py).
 */
public final class Mixtures {
    private static final String MIXTRAL = "transformers.models.mixtral.modeling_mixtral.Mixtral";
    private static final String QWEN2 = "transformers.models.qwen2_moe.modeling_qwen2_moe.Qwen2Moe";
    private static final String OLMOE = "transformers.models.olmoe.modeling_olmoe.Olmoe";
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
        ExpertsShape experts = ExpertsShape.local(MIXTRAL + "Experts", c, p.width);
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
        return p.model(
                p.layers(i -> p.layer(
                        Qwen.normed(p, shape), sparse(c, i) ? block(p, experts, kind, OF_QWEN) : p.feedForward(false))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** Qwen 1.5's and 2's, with an expert for all tokens. */
    public static Layer qwen2(Request request) {
        Plain p = new Plain(request, QWEN2, 1e-6);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, QWEN2 + "Attention")
                .withBias(c.flag("qkv_bias", true))
                .withOutBias(false);
        boolean slides = c.flag("use_sliding_window", false);
        long last = c.count("max_window_layers", 28);
        Plain.Kinds kinds =
                p.kinds(shape, c.size("sliding_window", 4096), i -> slides && (i + 1) % 2 != 0 && i < last, true);
        ExpertsShape experts = new ExpertsShape(
                QWEN2 + "Experts",
                c.size("num_experts", 60),
                c.size("num_experts_per_tok", 4),
                p.width,
                c.size("moe_intermediate_size"),
                false);
        Router.Kind kind = c.flag("norm_topk_prob", false) ? Router.Kind.QWEN : Router.Kind.QWEN_AS_THEY_ARE;
        modulesUnknown(p);
        return p.model(
                p.layers(i -> p.layer(
                        new Attention(kinds.shapes().get(i), request, p.pass),
                        sparse(c, i)
                                ? new GatedSharedBlock(
                                        QWEN2 + "SparseMoeBlock",
                                        request,
                                        new Router(QWEN2 + "TopKRouter", kind, experts, p.pass),
                                        new Experts(experts, request, Activations.of(c, "hidden_act", "silu")),
                                        p.feedForward(c.size("shared_expert_intermediate_size"), false),
                                        p.width)
                                : p.feedForward(false))),
                new Decoder.Shared(
                        p.embeddings(),
                        p.norm(p.width),
                        p.rotary(shape),
                        slides ? kinds.windows() : unused(),
                        List.of()),
                false);
    }

    /** OLMoE: OLMo 2's attention and Qwen's routers. */
    public static Layer olmoe(Request request) {
        Plain p = new Plain(request, OLMOE, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, OLMOE + "Attention");
        @Nullable Double most = c.has("clip_qkv") ? Double.valueOf(c.number("clip_qkv", 0)) : null;
        ExpertsShape experts = new ExpertsShape(
                OLMOE + "Experts",
                c.size("num_experts", 64),
                c.size("num_experts_per_tok", 8),
                p.width,
                c.size("intermediate_size"),
                false);
        Router.Kind kind = c.flag("norm_topk_prob", false) ? Router.Kind.QWEN : Router.Kind.QWEN_AS_THEY_ARE;
        modulesUnknown(p);
        return p.model(
                p.layers(i -> p.layer(
                        Attention.normed(
                                shape,
                                request,
                                p.pass,
                                SelfAttention.Turn.WHOLE,
                                Attention.Norms.WHOLE,
                                p::norm,
                                Attention.Names.USUAL.clipped(most)),
                        block(p, experts, kind, OF_QWEN))),
                new Decoder.Shared(p.embeddings(), p.norm(p.width), p.rotary(shape), shape),
                false);
    }

    /** The kinds of masks where no layer slides: the config then says that the window is 0. */
    private static Map<String, Long> unused() {
        Map<String, Long> windows = new LinkedHashMap<>();
        windows.put(AttentionShape.FULL, Masks.NO_WINDOW);
        windows.put(AttentionShape.SLIDING, Masks.EMPTY_WINDOW);
        return windows;
    }

    static boolean sparse(ModelConfig c, int layer) {
        return !c.texts("mlp_only_layers").contains(Integer.toString(layer))
                && (layer + 1) % c.size("decoder_sparse_step", 1) == 0;
    }

    private static void modulesUnknown(Plain p) {
        if (p.request.scenario().trainer().transformers().expertsAreModules()) {
            throw new UserInputException(p.config.source() + ": experts of " + p.config.modelType()
                    + " are written as in transformers 5; leave `transformers` out, or export the model");
        }
    }

    private static Layer block(Plain p, ExpertsShape shape, Router.Kind kind, ListedExperts.Expert expert) {
        String type = p.prefix + "SparseMoeBlock";
        if (p.request.scenario().trainer().transformers().expertsAreModules()) {
            return new ListedExperts(
                    type, kind, shape, p.request, expert, () -> Activations.of(p.config, "hidden_act", "silu"));
        }
        return block(p, shape, kind);
    }

    static Layer block(Plain p, ExpertsShape shape, Router.Kind kind) {
        return new ExpertBlock(
                p.prefix + "SparseMoeBlock",
                "gate",
                kind == Router.Kind.MIXTRAL || p.prefix.equals(OLMOE),
                new Router(p.prefix + "TopKRouter", kind, shape, p.pass),
                new Experts(shape, p.request, Activations.of(p.config, "hidden_act", "silu")),
                p.width,
                p.request);
    }
}
