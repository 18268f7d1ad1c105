package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.RmsNorm;
import dev.headroom.model.family.text.QwenVlText;

/** What differs between the vision towers of Qwen. */
enum QwenKind {
    /** Layer norms, and every patch of an image sees every other. */
    TWO,
    /** Root mean square norms, gates, and windows. */
    TWO_AND_A_HALF,
    /** As the first; learned places besides, and states between layers that the language model is given as well. */
    THREE,
    /** The same beside a language model of experts. */
    THREE_OF_EXPERTS;

    private static final double EPS = 1e-6;

    boolean windows() {
        return this == TWO_AND_A_HALF;
    }

    /** Whether states between layers go to the language model as well. */
    boolean deep() {
        return this == THREE || this == THREE_OF_EXPERTS;
    }

    private String module() {
        return switch (this) {
            case TWO -> "transformers.models.qwen2_vl.modeling_qwen2_vl.";
            case TWO_AND_A_HALF -> "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.";
            case THREE -> "transformers.models.qwen3_vl.modeling_qwen3_vl.";
            case THREE_OF_EXPERTS -> "transformers.models.qwen3_vl_moe.modeling_qwen3_vl_moe.";
        };
    }

    /** What class names of the family begin with. */
    String prefix() {
        return module()
                + switch (this) {
                    case TWO -> "Qwen2VL";
                    case TWO_AND_A_HALF -> "Qwen2_5_VL";
                    case THREE -> "Qwen3VL";
                    case THREE_OF_EXPERTS -> "Qwen3VLMoe";
                };
    }

    String tower() {
        return switch (this) {
            case TWO -> module() + "Qwen2VisionTransformerPretrainedModel";
            case TWO_AND_A_HALF -> module() + "Qwen2_5_VisionTransformerPretrainedModel";
            case THREE, THREE_OF_EXPERTS -> prefix() + "VisionModel";
        };
    }

    String patches() {
        return switch (this) {
            case TWO -> module() + "PatchEmbed";
            case TWO_AND_A_HALF -> module() + "Qwen2_5_VisionPatchEmbed";
            case THREE, THREE_OF_EXPERTS -> prefix() + "VisionPatchEmbed";
        };
    }

    /** The language model of a request. */
    Layer language(Request request) {
        return switch (this) {
            case TWO, TWO_AND_A_HALF -> QwenVlText.of(request, prefix());
            case THREE -> QwenVlText.three(request, prefix());
            case THREE_OF_EXPERTS -> QwenVlText.mixture(request, prefix());
        };
    }

    /** The config's entry of the tower's width. */
    String width() {
        return this == TWO ? "embed_dim" : "hidden_size";
    }

    private Layer norm(long width) {
        return windows() ? new RmsNorm(prefix() + "RMSNorm", width, EPS) : Layers.layerNorm(width);
    }

    /** A block of the tower, see {@link QwenVisionBlock}. */
    Layer block(ModelConfig c, Request request, long width, long heads, long[] parts) {
        String attention = (this == TWO ? module() : prefix()) + "VisionAttention";
        return new QwenVisionBlock(
                prefix() + "VisionBlock",
                norm(width),
                norm(width),
                new QwenVisionAttention(attention, request, width, heads, parts),
                feedForward(c, width));
    }

    private Layer feedForward(ModelConfig c, long width) {
        if (windows()) {
            return new GatedFeedForward(
                    prefix() + "MLP",
                    width,
                    c.size("intermediate_size"),
                    true,
                    Activations.of(c, "hidden_act", "silu"));
        }
        if (deep()) {
            long inner = c.size("intermediate_size");
            return new NamedSequence(prefix() + "VisionMLP", "linear_fc1", "act_fn", "linear_fc2")
                    .with("linear_fc1", Layers.linear(width, inner))
                    .with("linear_fc2", Layers.linear(inner, width))
                    .with("act_fn", Activations.of(c, "hidden_act", "gelu_pytorch_tanh"));
        }
        long inner = (long) (width * c.number("mlp_ratio", 4));
        Layer activation = c.text("hidden_act", "quick_gelu").equals("quick_gelu")
                ? new QuickGelu()
                : Activations.of(c, "hidden_act", "quick_gelu");
        return new NamedSequence(module() + "VisionMlp", "fc1", "act", "fc2")
                .with("fc1", Layers.linear(width, inner))
                .with("act", activation)
                .with("fc2", Layers.linear(inner, width));
    }

    /** Squares of patches become tokens of the language model's width. */
    Layer merger(ModelConfig c, long width) {
        long merge = c.size("spatial_merge_size");
        long wide = width * merge * merge;
        if (deep()) {
            return new DeepMerger(prefix() + "VisionPatchMerger", width, wide, c.size("out_hidden_size"), false);
        }
        return new QwenMerger(
                windows() ? prefix() + "PatchMerger" : module() + "PatchMerger",
                norm(width),
                wide,
                c.size(windows() ? "out_hidden_size" : "hidden_size"));
    }

    /** The same of states between layers. */
    Layer deepMerger(ModelConfig c, long width) {
        long merge = c.size("spatial_merge_size");
        return new DeepMerger(
                prefix() + "VisionPatchMerger", width, width * merge * merge, c.size("out_hidden_size"), true);
    }
}
