package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/** {@code down_proj(act(gate_proj(x)) * up_proj(x))}. */
public final class GatedFeedForward extends Layer {
    private final String type;
    private final Layer gate;
    private final Layer up;
    private final Layer down;
    private final Layer activation;
    private final @Nullable Double dropout;

    /** @param type class name */
    public GatedFeedForward(String type, long width, long hidden, boolean bias, Layer activation) {
        this(type, width, hidden, bias, activation, null);
    }

    /** @param dropout of the result, by a function; {@code null} for none */
    public GatedFeedForward(
            String type, long width, long hidden, boolean bias, Layer activation, @Nullable Double dropout) {
        this.dropout = dropout;
        this.type = type;
        gate = child("gate_proj", Layers.linear(width, hidden, bias));
        up = child("up_proj", Layers.linear(width, hidden, bias));
        down = child("down_proj", Layers.linear(hidden, width, bias));
        this.activation = child("act_fn", activation);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("down = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))");
        Value gated = s.call(activation, s.call(gate, in[0]));
        Value product = s.op("aten.mul.Tensor", "self", gated, "other", s.call(up, in[0]));
        Value out = s.call(down, product);
        if (dropout == null) {
            return out;
        }
        s.line("down = nn.functional.dropout(down, p=self.residual_dropout, training=self.training)");
        return s.op("aten.dropout.default", "input", out, "p", dropout, "train", s.training());
    }
}
