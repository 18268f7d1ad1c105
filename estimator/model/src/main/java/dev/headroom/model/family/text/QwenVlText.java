package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.experts.ExpertsShape;
import dev.headroom.model.family.experts.Router;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GatedFeedForward;
import java.util.List;
import java.util.function.Function;

/**
 * The language model of Qwen 2-VL and 2.5-VL: Qwen 2, whose tokens have three positions each (transformers,
 * models/qwen2_vl/modeling_qwen2_vl.py, models/qwen2_5_vl/modeling_qwen2_5_vl.py).
 */
public final class QwenVlText {
    private QwenVlText() {}

    /**
     * The model that a config describes.
     *
     * @param prefix class names begin with it, those of Qwen 2 with its module
     */
    public static Layer of(Request request, String prefix) {
        Plain p = new Plain(request, prefix, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape =
                AttentionShape.of(c, prefix + "Attention").withBias(true).withOutBias(false);
        String module = prefix.substring(0, prefix.lastIndexOf('.') + 1);
        List<Layer> layers = p.layers(i -> p.layer(
                Attention.named(shape, request, p.pass, SelfAttention.Turn.WHOLE, Attention.Names.USUAL.inTurn()),
                new GatedFeedForward(
                        module + "Qwen2MLP",
                        p.width,
                        c.size("intermediate_size"),
                        false,
                        Activations.of(c, "hidden_act", "silu"))));
        Layer rotary =
                new ThreefoldRotary(prefix + "RotaryEmbedding", shape.turned(), sections(c, shape, 16, 24, 24), false);
        Decoder.Shared shared = new Decoder.Shared(p.embeddings(), p.norm(p.width), rotary, shape);
        return p.model(layers, shared.withoutLook(), false, Scores.PLAIN, "TextModel");
    }

    /**
     * The language model of Qwen 3-VL: Qwen 3 with such positions (transformers,
     * models/qwen3_vl/modeling_qwen3_vl.py).
     */
    public static Layer three(Request request, String prefix) {
        Plain p = new Plain(request, prefix + "Text", 1e-6);
        return three(p, i -> p.feedForward(false));
    }

    /** The same with experts (transformers, models/qwen3_vl_moe/modeling_qwen3_vl_moe.py). */
    public static Layer mixture(Request request, String prefix) {
        Plain p = new Plain(request, prefix + "Text", 1e-6);
        ExpertsShape experts = new ExpertsShape(
                p.prefix + "Experts",
                p.config.size("num_experts", 60),
                p.config.size("num_experts_per_tok", 4),
                p.width,
                p.config.size("moe_intermediate_size"),
                false);
        return three(
                p,
                i -> Mixtures.sparse(p.config, i)
                        ? Mixtures.block(p, experts, Router.Kind.QWEN)
                        : p.feedForward(false));
    }

    private static Layer three(Plain p, Function<Integer, Layer> feedForward) {
        AttentionShape shape = AttentionShape.of(p.config, p.prefix + "Attention");
        List<Layer> layers = p.layers(i -> p.layer(Qwen.normed(p, shape), feedForward.apply(i)));
        Layer rotary = new ThreefoldRotary(
                p.prefix + "RotaryEmbedding", shape.turned(), sections(p.config, shape, 24, 20, 20), true);
        Decoder.Shared shared = new Decoder.Shared(p.embeddings(), p.norm(p.width), rotary, shape);
        return p.model(layers, shared.withoutLook(), false);
    }

    /** How many frequencies are of time, height and width. */
    private static long[] sections(ModelConfig c, AttentionShape shape, long... otherwise) {
        List<String> given = c.section("rope_parameters").texts("mrope_section");
        List<String> older = given.isEmpty() ? c.section("rope_scaling").texts("mrope_section") : given;
        long[] sections = older.isEmpty()
                ? otherwise
                : older.stream().mapToLong(Long::parseLong).toArray();
        return ThreefoldRotary.checked(c, sections, shape.turned());
    }
}
