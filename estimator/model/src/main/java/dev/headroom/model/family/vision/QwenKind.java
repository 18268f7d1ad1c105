package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.RmsNorm;

/** What differs between the vision towers of Qwen. */
enum QwenKind {
    /** Layer norms, and every patch of an image sees every other. */
    TWO,
    /** Root mean square norms, gates, and windows. */
    TWO_AND_A_HALF;

    private static final double EPS = 1e-6;

    boolean windows() {
        return this == TWO_AND_A_HALF;
    }

    private String module() {
        return windows()
                ? "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl."
                : "transformers.models.qwen2_vl.modeling_qwen2_vl.";
    }

    /** What class names of the family begin with. */
    String prefix() {
        return module() + (windows() ? "Qwen2_5_VL" : "Qwen2VL");
    }

    String tower() {
        return module()
                + (windows() ? "Qwen2_5_VisionTransformerPretrainedModel" : "Qwen2VisionTransformerPretrainedModel");
    }

    String patches() {
        return module() + (windows() ? "Qwen2_5_VisionPatchEmbed" : "PatchEmbed");
    }

    /** The config's entry of the tower's width. */
    String width() {
        return windows() ? "hidden_size" : "embed_dim";
    }

    private Layer norm(long width) {
        return windows() ? new RmsNorm(prefix() + "RMSNorm", width, EPS) : Layers.layerNorm(width);
    }

    /** A block of the tower, see {@link QwenVisionBlock}. */
    Layer block(ModelConfig c, Request request, long width, long heads, long[] parts) {
        String attention = windows() ? prefix() + "VisionAttention" : module() + "VisionAttention";
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
        return new QwenMerger(
                windows() ? prefix() + "PatchMerger" : module() + "PatchMerger",
                norm(width),
                wide,
                c.size(windows() ? "out_hidden_size" : "hidden_size"));
    }
}
