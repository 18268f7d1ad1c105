package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code Qwen3VLVisionPatchMerger}. */
final class DeepMerger extends Layer {
    private final String type;
    private final long wide;
    private final boolean joinsFirst;
    private final Layer norm;
    private final Layer first;
    private final Layer activation;
    private final Layer second;

    /**
     * @param width features of a patch
     * @param wide features of the patches of a token together
     * @param out features of a token
     * @param joinsFirst whether the norm is of a token's patches together ({@code use_postshuffle_norm})
     */
    DeepMerger(String type, long width, long wide, long out, boolean joinsFirst) {
        this.type = type;
        this.wide = wide;
        this.joinsFirst = joinsFirst;
        norm = child("norm", Layers.layerNorm(joinsFirst ? wide : width));
        first = child("linear_fc1", Layers.linear(wide, wide));
        activation = child("act_fn", Layers.gelu());
        second = child("linear_fc2", Layers.linear(wide, out));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.norm(x.view(-1, wide) if self.use_postshuffle_norm else x).view(-1, self.hidden_size)");
        Value x = s.call(norm, joinsFirst ? joined(s, in[0]) : in[0]);
        x = joined(s, x);
        s.line("x = self.linear_fc2(self.act_fn(self.linear_fc1(x)))");
        return s.call(second, s.call(activation, s.call(first, x)));
    }

    private Value joined(Scope s, Value x) {
        return s.op("aten.view.default", "self", x, "size", new long[] {-1, wide});
    }
}
