package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.ReturnsMore;

/**
 * {@code CLIPEncoderLayer} and {@code SiglipEncoderLayer} (transformers, models/clip/modeling_clip.py and
 * models/siglip/modeling_siglip.py).
 */
final class ClipLayer extends Layer {
    static final String CLASS = "transformers.models.clip.modeling_clip.CLIP";

    private final String prefix;
    private final Layer attention;
    private final Layer before;
    private final Layer feedForward;
    private final Layer between;

    /** @param causal whether it is one of CLIP's model of text */
    ClipLayer(ModelConfig c, Request request, boolean causal) {
        this(c, request, CLASS, VisionAttention.Kind.CLIP, "quick_gelu", causal);
    }

    /** A layer of a relative: the prefix of its classes, its attention, and its activation where none is named. */
    ClipLayer(ModelConfig c, Request request, String prefix, VisionAttention.Kind kind, String activation) {
        this(c, request, prefix, kind, activation, false);
    }

    private ClipLayer(
            ModelConfig c,
            Request request,
            String prefix,
            VisionAttention.Kind kind,
            String activation,
            boolean causal) {
        this.prefix = prefix;
        long width = c.size("hidden_size");
        VisionAttention.Shape shape = VisionAttention.Shape.of(c, c.number("attention_dropout", 0));
        boolean normFirst = kind == VisionAttention.Kind.SIGLIP;
        before = Layers.layerNorm(width);
        if (normFirst) {
            child("layer_norm1", before);
        }
        attention = child(
                "self_attn",
                new VisionAttention(prefix + "Attention", request, causal ? shape.causally() : shape, kind));
        between = Layers.layerNorm(width);
        if (normFirst) {
            child("layer_norm2", between);
        } else {
            child("layer_norm1", before);
        }
        feedForward = child("mlp", feedForward(c, prefix, activation));
        if (!normFirst) {
            child("layer_norm2", between);
        }
    }

    @Override
    protected String type() {
        return prefix + "EncoderLayer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.layer_norm1(x)");
        Value x = s.call(before, in[0]);
        s.line(ReturnsMore.call(attention));
        Value[] attended = in.length > 1 ? s.results(attention, x, in[1]) : s.results(attention, x);
        x = attended[0];
        s.line("x = residual + x");
        Value residual = s.op("aten.add.Tensor", "self", in[0], "other", x);
        s.line("x = self.layer_norm2(x)");
        x = s.call(between, residual);
        s.line("x = self.mlp(x)");
        x = s.call(feedForward, x);
        s.line("x = residual + x");
        x = s.op("aten.add.Tensor", "self", residual, "other", x);
        for (int i = 1; i < attended.length; i++) {
            s.hold(attended[i]);
        }
        return x;
    }

    /** {@code CLIPMLP}. */
    private static Layer feedForward(ModelConfig c, String prefix, String activation) {
        long width = c.size("hidden_size");
        long inner = c.size("intermediate_size");
        boolean quick = c.text("hidden_act", activation).equals("quick_gelu");
        return new NamedSequence(prefix + "MLP", "fc1", "activation_fn", "fc2")
                .with("activation_fn", quick ? new QuickGelu() : Activations.of(c, "hidden_act", activation))
                .with("fc1", Layers.linear(width, inner))
                .with("fc2", Layers.linear(inner, width));
    }
}
