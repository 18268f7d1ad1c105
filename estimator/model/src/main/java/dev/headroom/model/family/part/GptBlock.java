package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.Arrays;

/** A layer of GPT-2 and its kin: LayerNorms before each part, and residuals around them. */
public final class GptBlock extends Layer {
    private final String type;
    private final String attends;
    private final Layer before;
    private final Layer attention;
    private final Layer between;
    private final Layer feedForward;

    /**
     * @param type class name
     * @param attends the line that calls the attention
     * @param width of the hidden states
     */
    public GptBlock(String type, String attends, long width, Layer attention, Layer feedForward) {
        this.type = type;
        this.attends = attends;
        this.before = child("ln_1", Layers.layerNorm(width));
        this.attention = child("attn", attention);
        this.between = child("ln_2", Layers.layerNorm(width));
        this.feedForward = child("mlp", feedForward);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.ln_1(x)");
        Value x = s.call(before, in[0]);
        s.line(attends);
        Value[] attended = s.results(attention, x);
        s.line("x = attn_output + residual");
        Value residual = s.op("aten.add.Tensor", "self", attended[0], "other", in[0]);
        s.line("x = self.ln_2(x)");
        x = s.call(between, residual);
        s.line("feed_forward_hidden_states = self.mlp(x)");
        Value inner = s.call(feedForward, x);
        s.line("x = residual + feed_forward_hidden_states");
        x = s.op("aten.add.Tensor", "self", residual, "other", inner);
        s.use(Arrays.copyOfRange(attended, 1, attended.length));
        return x;
    }
}
