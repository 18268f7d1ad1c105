package dev.headroom.model.family.decoder;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;
import java.util.Optional;

/** What {@code attention_interface} computes: a kernel of PyTorch, or plain operators. */
final class AttentionCall {
    /** Wider heads are repeated before the kernel is called (integrations/sdpa_attention.py, use_gqa_in_sdpa). */
    private static final long WIDEST_SHARED = 256;

    private AttentionCall() {}

    static Value write(
            Scope s, Request request, Attention.Shape shape, Optional<Value> mask, Value q, Value k, Value v) {
        return request.eager() ? eager(s, shape, mask, q, k, v) : kernel(s, request, shape, mask, q, k, v);
    }

    private static Value kernel(
            Scope s, Request request, Attention.Shape shape, Optional<Value> mask, Value q, Value k, Value v) {
        s.line("out, weights = attention_interface(self, queries, keys, values, mask)");
        boolean shares = shape.heads() != shape.keys();
        boolean repeats = shares && (mask.isPresent() || shape.size() > WIDEST_SHARED);
        Value keys = repeats ? repeated(s, shape, k) : k;
        Value values = repeats ? repeated(s, shape, v) : v;
        Map<String, Object> call = arguments("query", q, "key", keys, "value", values);
        mask.ifPresent(m -> call.put("attn_mask", m));
        call.put("dropout_p", 0.0);
        call.put(
                "is_causal",
                mask.isEmpty() && (request.step() == null || request.step().prompt()));
        call.put("scale", shape.scale());
        if (shares && !repeats) {
            call.put("enable_gqa", true);
        }
        Value attended = s.op("aten.scaled_dot_product_attention.default", call);
        return rowsFirst(s, attended);
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    /** {@code repeat_kv}. */
    private static Value repeated(Scope s, Attention.Shape shape, Value x) {
        Value one = s.op("aten.unsqueeze.default", "self", x, "dim", 2);
        SymExpr[] wide = {
            Request.BATCH,
            SymExpr.of(shape.keys()),
            SymExpr.of(shape.heads() / shape.keys()),
            SymExpr.of(-1),
            SymExpr.of(shape.size())
        };
        Value all = s.op("aten.expand.default", "self", one, "size", wide);
        SymExpr[] joined = {Request.BATCH, SymExpr.of(shape.heads()), SymExpr.of(-1), SymExpr.of(shape.size())};
        return s.op("aten.reshape.default", "self", all, "shape", joined);
    }

    /** {@code eager_attention_forward}. */
    private static Value eager(Scope s, Attention.Shape shape, Optional<Value> mask, Value q, Value k, Value v) {
        boolean shares = shape.heads() != shape.keys();
        s.line("keys_of_all = repeat_kv(keys, self.groups)");
        Value keys = shares ? repeated(s, shape, k) : k;
        s.line("values_of_all = repeat_kv(values, self.groups)");
        Value values = shares ? repeated(s, shape, v) : v;
        s.line("weights = torch.matmul(queries, keys_of_all.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", keys, "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", shape.scale());
        if (mask.isPresent()) {
            s.line("weights = weights + mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", mask.get());
        }
        s.line("weights = softmax(weights, dim=-1, dtype=torch.float32).to(queries.dtype)");
        Value shares32 = s.op("aten.softmax.int", "self", weights, "dim", -1, "dtype", DType.FLOAT32);
        weights = s.op("aten.to.dtype", "self", shares32, "dtype", new Argument.TypeOf(q.name()));
        s.line("weights = dropout(weights, p=dropout, training=self.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", 0.0, "train", s.training());
        s.line("out = torch.matmul(weights, values_of_all)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", values);
        s.line("out = out.transpose(1, 2).contiguous()");
        return rowsFirst(s, attended);
    }
}
