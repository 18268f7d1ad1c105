package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.part.Activations;
import org.jspecify.annotations.Nullable;

/** {@code T5LayerFF}: a norm, a feed-forward part, which may be gated, and a dropout. */
final class T5FeedForward extends Layer {
    private final Layer inner;
    private final Layer norm;
    private final Layer dropout;

    T5FeedForward(T5Shape shape) {
        inner = child("DenseReluDense", new Dense(shape));
        norm = child("layer_norm", new T5Norm(shape));
        dropout = child("dropout", Layers.dropout(shape.dropout()));
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "LayerFF";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("forwarded = self.layer_norm(x)");
        Value forwarded = s.call(norm, in[0]);
        s.line("forwarded = self.DenseReluDense(forwarded)");
        forwarded = s.call(inner, forwarded);
        s.line("x = x + self.dropout(forwarded)");
        return s.op("aten.add.Tensor", "self", in[0], "other", s.call(dropout, forwarded));
    }

    /** {@code T5DenseActDense} and {@code T5DenseGatedActDense}. */
    private static final class Dense extends Layer {
        private final T5Shape shape;
        private final Layer in;
        private final @Nullable Layer linear;
        private final Layer out;
        private final Layer dropout;
        private final Layer activation;

        private Dense(T5Shape shape) {
            this.shape = shape;
            ModelConfig c = shape.config();
            String kind = c.text("feed_forward_proj", "relu");
            boolean gated = kind.startsWith("gated-");
            String name = kind.equals("gated-gelu") ? "gelu_new" : kind.substring(kind.indexOf('-') + 1);
            long hidden = c.size("d_ff", 2048);
            in = child(gated ? "wi_0" : "wi", Layers.linear(shape.width(), hidden, false));
            linear = gated ? child("wi_1", Layers.linear(shape.width(), hidden, false)) : null;
            out = child("wo", Layers.linear(hidden, shape.width(), false));
            dropout = child("dropout", Layers.dropout(shape.dropout()));
            activation = child("act", Activations.of(c.with("act", name), "act", "relu"));
        }

        @Override
        protected String type() {
            return T5Shape.CLASS + (linear == null ? "DenseActDense" : "DenseGatedActDense");
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            Value h;
            if (linear == null) {
                s.line("x = self.wi(x)");
                h = s.call(in, x[0]);
                s.line("x = self.act(x)");
                h = s.call(activation, h);
            } else {
                s.line("hidden_gelu = self.act(self.wi_0(x))");
                Value gate = s.call(activation, s.call(in, x[0]));
                s.line("hidden_linear = self.wi_1(x)");
                Value other = s.call(linear, x[0]);
                s.line("x = hidden_gelu * hidden_linear");
                h = s.op("aten.mul.Tensor", "self", gate, "other", other);
            }
            s.line("x = self.dropout(x)");
            h = s.call(dropout, h);
            s.line("x = x.to(self.wo.weight.dtype)");
            h = s.op("aten.to.dtype", "self", h, "dtype", shape.lastType());
            s.line("x = self.wo(x)");
            return s.call(out, h);
        }
    }
}
