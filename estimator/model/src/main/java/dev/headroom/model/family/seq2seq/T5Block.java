package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code T5Block}: tokens look at each other, then at what the encoder made, then come to a feed-forward part. */
final class T5Block extends SeveralResults {
    private final T5Shape shape;
    private final boolean first;
    private final Layer own;
    private final @Nullable Layer encoder;
    private final Layer feedForward;

    /** @param first whether it is the stack's first, which makes the bias for all */
    T5Block(T5Shape shape, T5Pass pass, boolean decodes, boolean first) {
        this.shape = shape;
        this.first = first;
        ModuleList list = child("layer", new ModuleList());
        own = list.add(new Part(
                "LayerSelfAttention", "SelfAttention", shape, new T5Attention(shape, pass, decodes, false, first)));
        encoder = decodes
                ? list.add(new Part(
                        "LayerCrossAttention",
                        "EncDecAttention",
                        shape,
                        new T5Attention(shape, pass, true, true, false)))
                : null;
        feedForward = list.add(new T5FeedForward(shape));
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "Block";
    }

    /** The hidden states, the bias of the tokens and, in a decoder, that of the encoder's. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("x, self_attn_position_bias, _ = self.layer[0](x)");
        Value[] made = s.results(own, in[0]);
        Value x = made[0];
        Value ownBias = made[1];
        boolean wide = shape.lastType() != DType.FLOAT16; // what feed-forward parts return
        x = cutBack(s, x, first || !wide);
        @Nullable Value otherBias = null;
        if (encoder != null) {
            s.line("x, cross_attn_position_bias, _ = self.layer[1](x)");
            Value[] crossed = s.results(encoder, x);
            if (made.length > 2) {
                s.use(made[2]); // "_" until it is bound again
            }
            made = crossed;
            x = cutBack(s, crossed[0], first || !wide);
            otherBias = crossed[1];
        }
        s.line("x = self.layer[-1](x)");
        x = cutBack(s, s.call(feedForward, x), !wide);
        if (made.length > 2) {
            s.use(made[2]);
        }
        return otherBias == null ? new Value[] {x, ownBias} : new Value[] {x, ownBias, otherBias};
    }

    /** Rows in float16 stay within what is finite. */
    private Value cutBack(Scope s, Value x, boolean half) {
        if (!half || !shape.passesHalves()) {
            return x;
        }
        s.line("clamp_value = torch.where(torch.isinf(x).any(), max - 1000, max)");
        Value infinite = s.op("aten.any.default", "self", s.op("aten.isinf.default", "self", x));
        Value limit = s.op("aten.where.Scalar", "condition", infinite, "self", 64504.0, "other", 65504.0);
        s.line("x = torch.clamp(x, min=-clamp_value, max=clamp_value)");
        Value least = s.op("aten.neg.default", "self", limit);
        return s.op("aten.clamp.Tensor", "self", x, "min", least, "max", limit);
    }

    /** {@code T5LayerSelfAttention} and {@code T5LayerCrossAttention}. */
    private static final class Part extends SeveralResults {
        private final String name;
        private final Layer attention;
        private final Layer norm;
        private final Layer dropout;

        private Part(String name, String attentionName, T5Shape shape, Layer attention) {
            this.name = name;
            this.attention = child(attentionName, attention);
            norm = child("layer_norm", new T5Norm(shape));
            dropout = child("dropout", Layers.dropout(shape.dropout()));
        }

        @Override
        protected String type() {
            return T5Shape.CLASS + name;
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("normed = self.layer_norm(x)");
            Value normed = s.call(norm, in[0]);
            s.line("attended, position_bias, weights = self.Attention(normed)");
            Value[] made = s.results(attention, normed);
            s.line("attended = x + self.dropout(attended)");
            made[0] = s.op("aten.add.Tensor", "self", in[0], "other", s.call(dropout, made[0]));
            return made;
        }
    }
}
