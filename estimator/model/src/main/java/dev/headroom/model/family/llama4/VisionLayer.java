package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.part.ReturnsMore;

/** {@code Llama4VisionEncoderLayer}. */
final class VisionLayer extends Layer {
    private final Layer attention;
    private final Layer feedForward;
    private final Layer before;
    private final Layer between;

    VisionLayer(ModelConfig c, Request request) {
        long width = c.size("hidden_size");
        long inner = c.size("intermediate_size");
        attention = child("self_attn", new VisionAttention(c, request));
        feedForward = child(
                "mlp",
                new NamedSequence(Llama4.CLASS + "VisionMLP", "fc1", "activation_fn", "fc2")
                        .with("activation_fn", Layers.gelu())
                        .with("fc1", Layers.linear(width, inner))
                        .with("fc2", Layers.linear(inner, width)));
        before = child("input_layernorm", Layers.layerNorm(width));
        between = child("post_attention_layernorm", Layers.layerNorm(width));
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "VisionEncoderLayer";
    }

    /** @param in states, complex numbers by place */
    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("hidden_state = self.input_layernorm(hidden_state)");
        Value x = s.call(before, in[0]);
        s.line(ReturnsMore.call(attention, "hidden_state"));
        Value[] attended = s.results(attention, x, in[1]);
        s.line("hidden_state = residual + hidden_state");
        Value residual = s.op("aten.add.Tensor", "self", in[0], "other", attended[0]);
        s.line("hidden_state = self.post_attention_layernorm(hidden_state)");
        x = s.call(between, residual);
        s.line("hidden_state = self.mlp(hidden_state)");
        x = s.call(feedForward, x);
        s.line("hidden_state = residual + hidden_state");
        x = s.op("aten.add.Tensor", "self", residual, "other", x);
        if (attended.length > 1) {
            s.hold(attended[1]);
        }
        return x;
    }
}
