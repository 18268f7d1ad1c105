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

/** {@code ViTLayer}. */
final class VitLayer extends Layer {
    private final Layer attention;
    private final Layer before;
    private final Layer after;
    private final Layer feedForward;
    private final Layer dropout;

    VitLayer(ModelConfig c, Request request) {
        long width = c.size("hidden_size");
        attention = child(
                "attention",
                new VisionAttention(
                        Vit.CLASS + "Attention",
                        request,
                        VisionAttention.Shape.of(c, c.number("attention_probs_dropout_prob", 0)),
                        VisionAttention.Kind.VIT));
        before = child("layernorm_before", Layers.layerNorm(width));
        after = child("layernorm_after", Layers.layerNorm(width));
        long inner = c.size("intermediate_size", 4 * width);
        feedForward = child(
                "mlp",
                new NamedSequence(Vit.CLASS + "MLP", "fc1", "activation_fn", "fc2")
                        .with("activation_fn", Activations.of(c, "hidden_act", "gelu"))
                        .with("fc1", Layers.linear(width, inner))
                        .with("fc2", Layers.linear(inner, width)));
        dropout = child("dropout", Layers.dropout(c.number("hidden_dropout_prob", 0)));
    }

    @Override
    protected String type() {
        return Vit.CLASS + "Layer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.layernorm_before(x)");
        Value x = s.call(before, in[0]);
        s.line(ReturnsMore.call(attention));
        Value[] attended = s.results(attention, x);
        s.line("x = self.dropout(x)");
        x = s.call(dropout, attended[0]);
        s.line("x = x + residual");
        Value residual = s.op("aten.add.Tensor", "self", x, "other", in[0]);
        s.line("x = self.layernorm_after(x)");
        x = s.call(after, residual);
        s.line("x = self.mlp(x)");
        x = s.call(feedForward, x);
        s.line("x = self.dropout(x)");
        x = s.call(dropout, x);
        s.line("x = x + residual");
        x = s.op("aten.add.Tensor", "self", x, "other", residual);
        for (int i = 1; i < attended.length; i++) {
            s.hold(attended[i]);
        }
        return x;
    }
}
