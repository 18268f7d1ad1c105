package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** A gated feed-forward part with one projection for the gate and what it gates. */
public final class FusedFeedForward extends Layer {
    private final String type;
    private final Layer both;
    private final Layer down;
    private final Layer activation;

    /** @param type class name */
    public FusedFeedForward(String type, long width, long hidden, Layer activation) {
        this.type = type;
        both = child("gate_up_proj", Layers.linear(width, 2 * hidden, false));
        down = child("down_proj", Layers.linear(hidden, width, false));
        this.activation = child("activation_fn", activation);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("up = self.gate_up_proj(x)");
        Value joined = s.call(both, in[0]);
        s.line("gate, up = up.chunk(2, dim=-1)");
        Value[] halves = s.ops("aten.chunk.default", 2, Scope.arguments("self", joined, "chunks", 2, "dim", -1));
        s.line("up = up * self.activation_fn(gate)");
        Value gated = s.call(activation, halves[0]);
        Value up = s.op("aten.mul.Tensor", "self", halves[1], "other", gated);
        s.line("return self.down_proj(up)");
        return s.call(down, up);
    }
}
