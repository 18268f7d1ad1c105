package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.LayerNorm;
import dev.headroom.model.graph.SymExpr;

/** {@code ModernBertEncoderLayer}. */
final class ModernLayer extends Layer {
    private static final String CLASS = ModernBert.CLASS;

    private final Layer norm;
    private final boolean normed;
    private final Layer attention;
    private final Layer between;
    private final Layer feedForward;

    /** @param first whether the embeddings' norm is that of this layer's attention */
    ModernLayer(AttentionShape shape, Request request, Pass pass, boolean first) {
        ModelConfig c = request.config();
        normed = !first;
        norm = new LayerNorm(shape.width(), c.flag("norm_bias", false));
        if (normed) {
            child("attn_norm", norm);
        }
        attention = child("attn", new FusedSelfAttention(shape, request, pass));
        between = child("mlp_norm", new LayerNorm(shape.width(), c.flag("norm_bias", false)));
        feedForward = child("mlp", new FeedForward(c));
    }

    @Override
    protected String type() {
        return CLASS + "EncoderLayer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("attended = self.attn(self.attn_norm(x))[0]");
        Value before = normed ? s.call(norm, in[0]) : in[0];
        Value[] attended = s.results(attention, before);
        s.line("x = x + attended");
        Value x = s.op("aten.add.Tensor", "self", in[0], "other", attended[0]);
        s.line("x = x + self.mlp(self.mlp_norm(x))");
        Value inner = s.call(feedForward, s.call(between, x));
        x = s.op("aten.add.Tensor", "self", x, "other", inner);
        s.use(attended);
        return x;
    }

    /** {@code ModernBertMLP}. */
    private static final class FeedForward extends Layer {
        private final Layer in;
        private final Layer activation;
        private final Layer dropout;
        private final Layer out;

        private FeedForward(ModelConfig c) {
            long width = c.size("hidden_size");
            long inner = c.size("intermediate_size");
            boolean bias = c.flag("mlp_bias", false);
            in = child("Wi", Layers.linear(width, 2 * inner, bias));
            activation = child("act", Activations.of(c, "hidden_activation", "gelu"));
            dropout = child("drop", Layers.dropout(c.number("mlp_dropout", 0)));
            out = child("Wo", Layers.linear(inner, width, bias));
        }

        @Override
        protected String type() {
            return CLASS + "MLP";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("input, gate = self.Wi(x).chunk(2, dim=-1)");
            Value both = s.call(in, x[0]);
            Value[] halves = s.ops("aten.chunk.default", 2, Scope.arguments("self", both, "chunks", 2, "dim", -1));
            s.line("return self.Wo(self.drop(self.act(input) * gate))");
            Value product = s.op("aten.mul.Tensor", "self", s.call(activation, halves[0]), "other", halves[1]);
            return s.call(out, s.call(dropout, product));
        }
    }

    /** {@code ModernBertAttention}. */
    private static final class FusedSelfAttention extends dev.headroom.model.family.decoder.SelfAttention {
        private final AttentionShape shape;
        private final Layer all;
        private final Layer out;

        private FusedSelfAttention(AttentionShape shape, Request request, Pass pass) {
            super(shape, request, pass, Turn.COPIED);
            this.shape = shape;
            all = child("Wqkv", Layers.linear(shape.width(), 3 * shape.heads() * shape.size(), shape.bias()));
            out = child("Wo", Layers.linear(shape.width(), shape.width(), shape.bias()));
        }

        @Override
        protected Layer out() {
            return out;
        }

        @Override
        protected Value[] project(Scope s, Value x) {
            s.line("qkv = self.Wqkv(x)");
            Value qkv = s.call(all, x);
            s.line("qkv = qkv.view(*input_shape, 3, -1, self.head_dim)");
            SymExpr[] sizes = {Request.BATCH, Request.SEQ, SymExpr.of(3), SymExpr.of(-1), SymExpr.of(shape.size())};
            qkv = s.op("aten.view.default", "self", qkv, "size", sizes);
            s.line("queries, keys, values = qkv.unbind(dim=-3)");
            Value[] three = s.ops("aten.unbind.int", 3, Scope.arguments("self", qkv, "dim", -3));
            String[] names = {"queries", "keys", "values"};
            for (int i = 0; i < three.length; i++) {
                s.line(names[i] + " = " + names[i] + ".transpose(1, 2)");
                three[i] = s.op("aten.transpose.int", "self", three[i], "dim0", 1, "dim1", 2);
            }
            return three;
        }
    }
}
