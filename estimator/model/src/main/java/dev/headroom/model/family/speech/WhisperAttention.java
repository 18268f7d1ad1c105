package dev.headroom.model.family.speech;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.KeyValueCache;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;

/** {@code WhisperAttention}. Its inputs: states, the states that it looks at, and a mask where there is one. */
final class WhisperAttention extends SeveralResults implements ReturnsMore {
    private final WhisperShape shape;
    private final AttentionShape sizes;
    private final boolean crosses;
    private final Layer keys;
    private final Layer values;
    private final Layer queries;
    private final Layer out;

    /** @param crosses whether it looks at what the encoder made */
    WhisperAttention(WhisperShape shape, AttentionShape sizes, boolean crosses) {
        this.shape = shape;
        this.sizes = sizes;
        this.crosses = crosses;
        long width = sizes.width();
        keys = child("k_proj", Layers.linear(width, width, false));
        values = child("v_proj", Layers.linear(width, width));
        queries = child("q_proj", Layers.linear(width, width));
        out = child("out_proj", Layers.linear(width, width));
    }

    @Override
    protected String type() {
        return sizes.type();
    }

    @Override
    public boolean returnsMore() {
        return shape.request().eager();
    }

    private Value heads(Scope s, Value x) {
        SymExpr[] split = {Request.BATCH, SymExpr.of(-1), SymExpr.of(sizes.heads()), SymExpr.of(sizes.size())};
        Value view = s.op("aten.view.default", "self", x, "size", split);
        Value turned = s.op("aten.transpose.int", "self", view, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    /** The result and, in plain operators, the weights. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("queries = (self.q_proj(x) * self.scaling).view(shape).transpose(1, 2).contiguous()");
        Value scaled = s.op("aten.mul.Tensor", "self", s.call(queries, in[0]), "other", 0.5);
        Value q = heads(s, scaled);
        s.line("keys = self.k_proj(current_states).view(kv_shape).transpose(1, 2).contiguous()");
        Value k = heads(s, s.call(keys, in[1]));
        s.line("values = self.v_proj(current_states).view(kv_shape).transpose(1, 2).contiguous()");
        Value v = heads(s, s.call(values, in[1]));
        Value[] kept =
                sizes.causal() ? KeyValueCache.kept(s, shape.request(), sizes, shape.pass(), k, v) : new Value[] {k, v};
        s.line((returnsMore() ? "weights, attn" : "attn, weights") + " = attention_interface(self, q, k, v, mask)");
        Value[] attended = returnsMore()
                ? s.function("eager_attention_forward", () -> eager(s, q, kept, in))
                : new Value[] {s.function("sdpa_attention_forward", () -> kernel(s, q, kept, in))};
        s.line("attn = attn.reshape(*input_shape, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, SymExpr.of(-1), SymExpr.of(sizes.width())};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("attn = self.out_proj(attn)");
        Value result = s.call(out, flat);
        return attended.length == 1 ? new Value[] {result} : new Value[] {result, attended[1]};
    }

    private Value kernel(Scope s, Value q, Value[] kept, Value[] in) {
        s.line("out = scaled_dot_product_attention(query, key, value)");
        Map<String, Object> call = Scope.arguments("query", q, "key", kept[0], "value", kept[1]);
        if (in.length > 2) {
            call.put("attn_mask", in[2]);
        }
        call.put("dropout_p", s.training() ? sizes.dropout() : 0.0);
        call.put("is_causal", sizes.causal() && !crosses && in.length == 2);
        call.put("scale", 1.0);
        Value attended = s.op("aten.scaled_dot_product_attention.default", call);
        s.line("out = out.transpose(1, 2).contiguous()");
        return rowsFirst(s, attended);
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    private Value[] eager(Scope s, Value q, Value[] kept, Value[] in) {
        s.line("weights = torch.matmul(query, key.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", kept[0], "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", 1.0);
        if (in.length > 2) {
            s.line("weights = weights + attention_mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", in[2]);
        }
        s.line("weights = softmax(weights, dim=-1)");
        weights = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("weights = dropout(weights, p=dropout, training=module.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", sizes.dropout(), "train", s.training());
        s.line("out = torch.matmul(weights, value)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", kept[1]);
        s.line("out = out.transpose(1, 2).contiguous()");
        return new Value[] {rowsFirst(s, attended), weights};
    }
}
