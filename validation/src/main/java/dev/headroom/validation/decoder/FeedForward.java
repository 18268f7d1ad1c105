package dev.headroom.validation.decoder;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** The gated feed-forward part of decoders of the Llama kind, in Meta's names. */
final class FeedForward extends Layer {
    private final Layer gate;
    private final Layer up;
    private final Layer down;

    FeedForward(long width, long hidden) {
        gate = child("w1", linear(width, hidden, false));
        up = child("w3", linear(width, hidden, false));
        down = child("w2", linear(hidden, width, false));
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("return self.w2(F.silu(self.w1(x)) * self.w3(x))");
        Value gated = s.op("aten.silu.default", arguments("self", s.call(gate, in[0])));
        Value product = s.op("aten.mul.Tensor", arguments("self", gated, "other", s.call(up, in[0])));
        return s.call(down, product);
    }
}
