package dev.headroom.model.family.vision;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;

/** Attention of models that see: every patch of an image looks at every other, words look at those before. */
final class VisionAttention extends SeveralResults implements ReturnsMore {
    /** Whose it is: {@code CLIPAttention}, {@code ViTAttention} or {@code SiglipAttention}. */
    enum Kind {
        /** Projections first, then views of them. */
        CLIP,
        /** A view of each projection at once. */
        VIT,
        /** The same under CLIP's names. */
        SIGLIP
    }

    /**
     * Its dimensions.
     *
     * @param biased whether queries, keys and values have a bias
     * @param dropout of the scores while training
     * @param causal whether a token sees none that follow, as in CLIP's model of text
     */
    record Shape(long width, long heads, long size, boolean biased, double dropout, boolean causal) {
        /** The same of text. */
        Shape causally() {
            return new Shape(width, heads, size, biased, dropout, true);
        }

        static Shape of(ModelConfig c, double dropout) {
            long width = c.size("hidden_size");
            long heads = c.size("num_attention_heads", 12);
            long size = c.divided("hidden_size", width, "num_attention_heads", heads);
            return new Shape(width, heads, size, c.flag("qkv_bias", true), dropout, false);
        }
    }

    private final String type;
    private final Request request;
    private final Shape shape;
    private final Kind kind;
    private final Layer queries;
    private final Layer keys;
    private final Layer values;
    private final Layer out;

    VisionAttention(String type, Request request, Shape shape, Kind kind) {
        this.type = type;
        this.request = request;
        this.shape = shape;
        this.kind = kind;
        queries = Layers.linear(shape.width(), shape.width(), shape.biased());
        keys = Layers.linear(shape.width(), shape.width(), shape.biased());
        values = Layers.linear(shape.width(), shape.width(), shape.biased());
        out = Layers.linear(shape.width(), shape.width());
        boolean last = kind == Kind.CLIP || kind == Kind.SIGLIP;
        if (!last) {
            child("q_proj", queries);
        }
        child("k_proj", keys);
        child("v_proj", values);
        if (last) {
            child("q_proj", queries);
        }
        child(last ? "out_proj" : "o_proj", out);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    public boolean returnsMore() {
        return request.eager();
    }

    private Value heads(Scope s, Value x) {
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.heads()), SymExpr.of(shape.size())};
        Value split = s.op("aten.view.default", "self", x, "size", sizes);
        return s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
    }

    private Value[] projected(Scope s, Value x) {
        if (kind != Kind.CLIP) {
            s.line("queries = self.q_proj(x).view(shape).transpose(1, 2)");
            Value q = heads(s, s.call(queries, x));
            s.line("keys = self.k_proj(x).view(shape).transpose(1, 2)");
            Value k = heads(s, s.call(keys, x));
            s.line("values = self.v_proj(x).view(shape).transpose(1, 2)");
            return new Value[] {q, k, heads(s, s.call(values, x))};
        }
        s.line("queries = self.q_proj(x)");
        Value q = s.call(queries, x);
        s.line("keys = self.k_proj(x)");
        Value k = s.call(keys, x);
        s.line("values = self.v_proj(x)");
        Value v = s.call(values, x);
        s.line("queries = queries.view(shape).transpose(1, 2)");
        q = heads(s, q);
        s.line("keys = keys.view(shape).transpose(1, 2)");
        k = heads(s, k);
        s.line("values = values.view(shape).transpose(1, 2)");
        return new Value[] {q, k, heads(s, v)};
    }

    /** The result and, in plain operators, the weights; the second input is a mask. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        Value[] three = projected(s, in[0]);
        s.line((request.eager() ? "weights, out" : "out, weights") + " = attention_interface(self, q, k, v)");
        Value[] attended = request.eager()
                ? s.function("eager_attention_forward", () -> eager(s, three, in))
                : new Value[] {s.function("sdpa_attention_forward", () -> kernel(s, three, in))};
        s.line("out = out.reshape(*input_shape, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.width())};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("out = self.out_proj(out)");
        Value result = s.call(out, flat);
        return attended.length == 1 ? new Value[] {result} : new Value[] {result, attended[1]};
    }

    private double scale() {
        return 1 / Math.sqrt((double) shape.size());
    }

    private Value kernel(Scope s, Value[] three, Value[] in) {
        s.line("out = scaled_dot_product_attention(query, key, value)");
        Map<String, Object> call = arguments("query", three[0], "key", three[1], "value", three[2]);
        if (in.length > 1) {
            call.put("attn_mask", in[1]);
        }
        call.put("dropout_p", s.training() ? shape.dropout() : 0.0);
        call.put("is_causal", shape.causal() && in.length == 1);
        call.put("scale", scale());
        Value attended = s.op("aten.scaled_dot_product_attention.default", call);
        s.line("out = out.transpose(1, 2).contiguous()");
        return rowsFirst(s, attended);
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    private Value[] eager(Scope s, Value[] three, Value[] in) {
        s.line("weights = torch.matmul(query, key.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", three[1], "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", three[0], "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", scale());
        if (in.length > 1) {
            s.line("weights = weights + attention_mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", in[1]);
        }
        s.line("weights = softmax(weights, dim=-1, dtype=torch.float32).to(query.dtype)");
        Value wide = s.op("aten.softmax.int", "self", weights, "dim", -1, "dtype", DType.FLOAT32);
        weights = s.op("aten.to.dtype", "self", wide, "dtype", new Argument.TypeOf(three[0].name()));
        s.line("weights = dropout(weights, p=dropout, training=module.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", shape.dropout(), "train", s.training());
        s.line("out = torch.matmul(weights, value)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", three[2]);
        s.line("out = out.transpose(1, 2).contiguous()");
        return new Value[] {rowsFirst(s, attended), weights};
    }
}
