package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** A layer that normalises what goes into attention and into its feed-forward part. */
public final class DecoderLayer extends Layer {
    private final String type;
    private final Layer attention;
    private final Layer feedForward;
    private final Layer before;
    private final Layer between;

    /** @param type class name */
    public DecoderLayer(String type, Layer attention, Layer feedForward, Layer before, Layer between) {
        this.type = type;
        this.attention = child("self_attn", attention);
        this.feedForward = child("mlp", feedForward);
        this.before = child("input_layernorm", before);
        this.between = child("post_attention_layernorm", between);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.input_layernorm(x)");
        Value x = s.call(before, in[0]);
        s.line("x = self.self_attn(x, mask, position_embeddings)[0]");
        Value[] attended = s.results(attention, x);
        x = attended[0];
        s.line("x = residual + x");
        Value residual = s.op("aten.add.Tensor", "self", in[0], "other", x);
        s.line("x = self.post_attention_layernorm(x)");
        x = s.call(between, residual);
        s.line("x = self.mlp(x)");
        x = s.call(feedForward, x);
        s.line("x = residual + x");
        x = s.op("aten.add.Tensor", "self", residual, "other", x);
        if (attended.length > 1) {
            s.use(attended[1]);
        }
        return x;
    }
}
