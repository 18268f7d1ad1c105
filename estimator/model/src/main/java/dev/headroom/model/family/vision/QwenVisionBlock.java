package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code Qwen2VLVisionBlock}. */
final class QwenVisionBlock extends Layer {
    private final String type;
    private final Layer before;
    private final Layer between;
    private final Layer attention;
    private final Layer feedForward;

    QwenVisionBlock(String type, Layer before, Layer between, Layer attention, Layer feedForward) {
        this.type = type;
        this.before = child("norm1", before);
        this.between = child("norm2", between);
        this.attention = child("attn", attention);
        this.feedForward = child("mlp", feedForward);
    }

    @Override
    protected String type() {
        return type;
    }

    /** @param in states, where parts begin, cosines, sines */
    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("hidden_states = hidden_states + self.attn(self.norm1(hidden_states), cu_seqlens, position_embeddings)");
        Value attended = s.call(attention, s.call(before, in[0]), in[1], in[2], in[3]);
        Value x = s.op("aten.add.Tensor", "self", in[0], "other", attended);
        s.line("hidden_states = hidden_states + self.mlp(self.norm2(hidden_states))");
        Value made = s.call(feedForward, s.call(between, x));
        return s.op("aten.add.Tensor", "self", x, "other", made);
    }
}
