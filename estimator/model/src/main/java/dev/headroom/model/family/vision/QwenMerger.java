package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;

/** {@code PatchMerger}. */
final class QwenMerger extends Layer {
    private final String type;
    private final long wide;
    private final Layer norm;
    private final Layer feedForward;

    /**
     * @param wide features of the patches of a token together
     * @param out features of a token
     */
    QwenMerger(String type, Layer norm, long wide, long out) {
        this.type = type;
        this.wide = wide;
        this.norm = child("ln_q", norm);
        feedForward = child("mlp", Sequential.of(Layers.linear(wide, wide), Layers.gelu(), Layers.linear(wide, out)));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.mlp(self.ln_q(x).view(-1, self.hidden_size))");
        Value x = s.call(norm, in[0]);
        x = s.op("aten.view.default", "self", x, "size", new long[] {-1, wide});
        return s.call(feedForward, x);
    }
}
