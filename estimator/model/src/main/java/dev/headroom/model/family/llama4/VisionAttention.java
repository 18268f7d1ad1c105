package dev.headroom.model.family.llama4;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;

/** {@code Llama4VisionAttention}: patches turned by their places, and each sees all others. */
final class VisionAttention extends SeveralResults implements ReturnsMore {
    private final Request request;
    private final long width;
    private final long heads;
    private final long size;
    private final double dropout;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final Layer out;

    VisionAttention(ModelConfig c, Request request) {
        this.request = request;
        width = c.size("hidden_size");
        heads = c.size("num_attention_heads");
        size = c.divided("hidden_size", width, "num_attention_heads", heads);
        dropout = c.number("attention_dropout", 0);
        query = child("q_proj", Layers.linear(width, width));
        key = child("k_proj", Layers.linear(width, width));
        value = child("v_proj", Layers.linear(width, width));
        out = child("o_proj", Layers.linear(width, width));
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "VisionAttention";
    }

    @Override
    public boolean returnsMore() {
        return request.eager();
    }

    private Value heads(Scope s, Value x) {
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(heads), SymExpr.of(size)};
        return s.op("aten.view.default", "self", x, "size", sizes);
    }

    private static Value turned(Scope s, Value x) {
        return s.op("aten.transpose.int", "self", x, "dim0", 1, "dim1", 2);
    }

    /** @param in states, complex numbers by place */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("query_states = self.q_proj(hidden_states).view(hidden_shape)");
        Value q = heads(s, s.call(query, in[0]));
        s.line("key_states = self.k_proj(hidden_states).view(hidden_shape)");
        Value k = heads(s, s.call(key, in[0]));
        s.line("value_states = self.v_proj(hidden_states).view(hidden_shape)");
        Value v = heads(s, s.call(value, in[0]));
        s.line("query_states, key_states = vision_apply_rotary_emb(query_states, key_states, freqs_ci=freqs_ci)");
        Value by = s.op("aten.view.default", "self", in[1], "size", new long[] {1, -1, 1, size / 2});
        SymExpr[] pairs = {Request.BATCH, SymExpr.of(-1), SymExpr.of(heads), SymExpr.of(size / 2), SymExpr.of(2)};
        Value[] both = ComplexTurns.write(s, new Value[] {q, k}, by, pairs);
        s.line("query_states = query_states.transpose(1, 2)");
        q = turned(s, both[0]);
        s.line("key_states = key_states.transpose(1, 2)");
        k = turned(s, both[1]);
        s.line("value_states = value_states.transpose(1, 2)");
        Value[] three = {q, k, turned(s, v)};
        s.line((request.eager() ? "attn_weights, attn_output" : "attn_output, _") + " = attention_interface(self)");
        Value[] attended = request.eager()
                ? s.function("vision_eager_attention_forward", () -> eager(s, three))
                : new Value[] {s.function("sdpa_attention_forward", () -> kernel(s, three))};
        s.line("attn_output = attn_output.reshape(*input_shape, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, SymExpr.of(-1), SymExpr.of(width)};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("attn_output = self.o_proj(attn_output)");
        Value result = s.call(out, flat);
        return attended.length == 1 ? new Value[] {result} : new Value[] {result, attended[1]};
    }

    private Value kernel(Scope s, Value[] three) {
        s.line("attn_output = scaled_dot_product_attention(query, key, value)");
        Map<String, Object> call = arguments("query", three[0], "key", three[1], "value", three[2]);
        call.put("dropout_p", s.training() ? dropout : 0.0);
        call.put("is_causal", false);
        Value attended = s.op("aten.scaled_dot_product_attention.default", call);
        s.line("attn_output = attn_output.transpose(1, 2).contiguous()");
        return s.op("aten.contiguous.default", "self", turned(s, attended));
    }

    private Value[] eager(Scope s, Value[] three) {
        s.line("attn_weights = torch.matmul(query, key_states.transpose(2, 3)) * module.head_dim**-0.5");
        Value columns = s.op("aten.transpose.int", "self", three[1], "dim0", 2, "dim1", 3);
        Value products = s.op("aten.matmul.default", "self", three[0], "other", columns);
        Value weights = s.op("aten.mul.Tensor", "self", products, "other", 1 / Math.sqrt((double) size));
        s.line("attn_weights = nn.functional.softmax(attn_weights, dim=-1)");
        weights = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("attn_weights = nn.functional.dropout(attn_weights, p=dropout, training=module.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", dropout, "train", s.training());
        s.line("attn_output = torch.matmul(attn_weights, value_states)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", three[2]);
        s.line("attn_output = attn_output.transpose(1, 2).contiguous()");
        return new Value[] {s.op("aten.contiguous.default", "self", turned(s, attended)), weights};
    }
}
