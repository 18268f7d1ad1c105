package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;

/** {@code OPTDecoderLayer}: norms before both parts, or after them. */
final class OptLayer extends Layer {
    private static final String CLASS = Opt.CLASS;

    private final Request request;
    private final long width;
    private final boolean before;
    private final double dropout;
    private final Layer attention;
    private final Layer activation;
    private final Layer first;
    private final Layer in;
    private final Layer out;
    private final Layer second;

    /** @param before whether norms come first */
    OptLayer(ModelConfig c, AttentionShape shape, Request request, Pass pass, boolean before) {
        this.request = request;
        this.before = before;
        width = shape.width();
        dropout = c.number("dropout", 0.1);
        attention = child("self_attn", new Attention(shape, request, pass));
        activation = child("activation_fn", Activations.of(c, "activation_function", "relu"));
        first = child("self_attn_layer_norm", Layers.layerNorm(width));
        long inner = c.size("ffn_dim", 4 * width);
        in = child("fc1", Layers.linear(width, inner, c.flag("enable_bias", true)));
        out = child("fc2", Layers.linear(inner, width, c.flag("enable_bias", true)));
        second = child("final_layer_norm", Layers.layerNorm(width));
    }

    @Override
    protected String type() {
        return CLASS + "DecoderLayer";
    }

    private Value dropped(Scope s, Value x) {
        s.line("x = nn.functional.dropout(x, p=self.dropout, training=self.training)");
        return s.op("aten.dropout.default", "input", x, "p", dropout, "train", s.training());
    }

    @Override
    protected Value forward(Scope s, Value... given) {
        s.line("x = self.self_attn_layer_norm(x)");
        Value x = before ? s.call(first, given[0]) : given[0];
        s.line("x = self.self_attn(x)[0]");
        Value[] attended = s.results(attention, x);
        x = dropped(s, attended[0]);
        s.line("x = residual + x");
        x = s.op("aten.add.Tensor", "self", given[0], "other", x);
        if (!before) {
            s.line("x = self.self_attn_layer_norm(x)");
            x = s.call(first, x);
        }
        s.line("residual = x.reshape(-1, x.size(-1))");
        Value residual = s.op("aten.reshape.default", "self", x, "shape", new long[] {-1, width});
        s.line("y = self.final_layer_norm(residual)");
        Value y = before ? s.call(second, residual) : residual;
        s.line("y = self.fc1(y)");
        y = s.call(in, y);
        s.line("y = self.activation_fn(y)");
        y = s.call(activation, y);
        s.line("y = self.fc2(y)");
        y = s.call(out, y);
        s.line("y = nn.functional.dropout(y, p=self.dropout, training=self.training)");
        y = s.op("aten.dropout.default", "input", y, "p", dropout, "train", s.training());
        s.line("y = (residual + y).view(shape)");
        y = s.op("aten.add.Tensor", "self", residual, "other", y);
        SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(width)};
        y = s.op("aten.view.default", "self", y, "size", sizes);
        if (!before) {
            s.line("y = self.final_layer_norm(y)");
            y = s.call(second, y);
        }
        s.use(Arrays.copyOfRange(attended, 1, attended.length));
        return y;
    }

    /** {@code OPTAttention}: queries are scaled before they are compared. */
    private static final class Attention extends SelfAttention {
        private final Layer keys;
        private final Layer values;
        private final Layer queries;
        private final Layer out;
        private final double scale;

        private Attention(AttentionShape shape, Request request, Pass pass) {
            super(shape, request, pass, Turn.NONE);
            keys = child("k_proj", Layers.linear(shape.width(), shape.width(), shape.bias()));
            values = child("v_proj", Layers.linear(shape.width(), shape.width(), shape.bias()));
            queries = child("q_proj", Layers.linear(shape.width(), shape.width(), shape.bias()));
            out = child("out_proj", Layers.linear(shape.width(), shape.width(), shape.outBias()));
            scale = 1 / Math.sqrt((double) shape.size());
        }

        @Override
        protected Layer out() {
            return out;
        }

        @Override
        protected Value[] project(Scope s, Value x) {
            s.line("queries = self.q_proj(x) * self.scaling");
            Value q = s.op("aten.mul.Tensor", "self", s.call(queries, x), "other", scale);
            s.line("queries = queries.view(shape).transpose(1, 2)");
            q = heads(s, q);
            s.line("keys = self.k_proj(x)");
            Value k = s.call(keys, x);
            s.line("values = self.v_proj(x)");
            Value v = s.call(values, x);
            s.line("keys = keys.view(shape).transpose(1, 2)");
            k = heads(s, k);
            s.line("values = values.view(shape).transpose(1, 2)");
            return new Value[] {q, k, heads(s, v)};
        }
    }
}
