package dev.headroom.model.family.decoder;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@code attention_interface} computes: a kernel of PyTorch, or plain operators. */
final class AttentionCall {
    /** Wider heads are repeated before the kernel is called (integrations/sdpa_attention.py, use_gqa_in_sdpa). */
    private static final long WIDEST_SHARED = 256;

    private AttentionCall() {}

    /** @param sinks what a head weighs beside keys, computed in plain operators; {@code null} for nothing */
    static Value[] write(
            Scope s,
            Request request,
            AttentionShape shape,
            Optional<Value> mask,
            @Nullable Value sinks,
            Value q,
            Value k,
            Value v) {
        boolean kernel = !request.eager() && sinks == null;
        // Names stand in the order in which their values are made.
        s.line((kernel ? "out, weights" : "weights, out")
                + " = attention_interface(self, queries, keys, values, mask)");
        if (kernel) {
            return new Value[] {s.function("sdpa_attention", () -> kernel(s, request, shape, mask, q, k, v))};
        }
        return s.function("eager_attention", () -> eager(s, request, shape, mask, sinks, q, k, v));
    }

    private static Value kernel(
            Scope s, Request request, AttentionShape shape, Optional<Value> mask, Value q, Value k, Value v) {
        boolean shares = shape.shares();
        boolean repeats = shares && (mask.isPresent() || shape.size() > WIDEST_SHARED);
        s.line("keys = repeat_kv(keys, self.groups)");
        Value keys = repeats ? repeated(s, shape, k) : k;
        s.line("values = repeat_kv(values, self.groups)");
        Value values = repeats ? repeated(s, shape, v) : v;
        CacheStep step = request.step();
        if (step != null && step.fixed() && step.prompt() && mask.isEmpty()) {
            s.line("keys = keys[:, :, :q_length, :]");
            keys = ofPrompt(s, keys);
            s.line("values = values[:, :, :q_length, :]");
            values = ofPrompt(s, values);
        }
        s.line("out = scaled_dot_product_attention(queries, keys, values)");
        Map<String, Object> call = arguments("query", q, "key", keys, "value", values);
        mask.ifPresent(m -> call.put("attn_mask", m));
        call.put("dropout_p", s.training() ? shape.dropout() : 0.0);
        call.put("is_causal", shape.causal() && mask.isEmpty() && (step == null || step.prompt()));
        call.put("scale", shape.scale());
        if (shares && !repeats) {
            call.put("enable_gqa", true);
        }
        Value attended = s.op("aten.scaled_dot_product_attention.default", call);
        s.line("out = out.transpose(1, 2).contiguous()");
        return rowsFirst(s, attended);
    }

    /** Without the room that a cache of fixed size has for later tokens. */
    private static Value ofPrompt(Scope s, Value all) {
        return s.op("aten.slice.Tensor", "self", all, "dim", 2, "start", 0, "end", Request.SEQ);
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    /** {@code repeat_kv}. */
    private static Value repeated(Scope s, AttentionShape shape, Value x) {
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
    private static Value[] eager(
            Scope s,
            Request request,
            AttentionShape shape,
            Optional<Value> mask,
            @Nullable Value sinks,
            Value q,
            Value k,
            Value v) {
        s.line("keys_of_all = repeat_kv(keys, self.groups)");
        Value keys = shape.shares() ? repeated(s, shape, k) : k;
        s.line("values_of_all = repeat_kv(values, self.groups)");
        Value values = shape.shares() ? repeated(s, shape, v) : v;
        s.line("weights = torch.matmul(queries, keys_of_all.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", keys, "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", shape.scale());
        if (shape.softcap() > 0) {
            weights = capped(s, "weights", weights, shape.softcap());
        }
        if (mask.isPresent()) {
            s.line("weights = weights + mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", mask.get());
        }
        Value kept;
        if (sinks == null) {
            Value shares = shape.narrow() ? narrow(s, weights, v) : shares(s, weights, q);
            s.line("weights = dropout(weights, p=dropout, training=self.training)");
            kept = dropped(s, shape, shares);
        } else {
            Value chosen = sharesWithSinks(s, request, weights, sinks);
            s.line("weights = dropout(scores, p=dropout, training=self.training).to(values.dtype)");
            Value some = dropped(s, shape, chosen);
            kept = s.op("aten.to.dtype", "self", some, "dtype", new Argument.TypeOf(values.name()));
        }
        s.line("out = torch.matmul(weights, values_of_all)");
        Value attended = s.op("aten.matmul.default", "self", kept, "other", values);
        s.line("out = out.transpose(1, 2).contiguous()");
        return new Value[] {rowsFirst(s, attended), kept};
    }

    /** As GPT-2 does (models/gpt2/modeling_gpt2.py). */
    private static Value narrow(Scope s, Value weights, Value like) {
        s.line("weights = softmax(weights, dim=-1)");
        Value shares = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("weights = weights.type(value.dtype)");
        return s.op("aten.to.dtype", "self", shares, "dtype", new Argument.TypeOf(like.name()));
    }

    private static Value shares(Scope s, Value weights, Value like) {
        s.line("weights = softmax(weights, dim=-1, dtype=torch.float32).to(queries.dtype)");
        Value wide = s.op("aten.softmax.int", "self", weights, "dim", -1, "dtype", DType.FLOAT32);
        return s.op("aten.to.dtype", "self", wide, "dtype", new Argument.TypeOf(like.name()));
    }

    /** The sinks are one more column of scores, whose share is left out (models/gpt_oss/modeling_gpt_oss.py). */
    private static Value sharesWithSinks(Scope s, Request request, Value weights, Value sinks) {
        s.line("sinks = module.sinks.reshape(1, -1, 1, 1).expand(batch, -1, seq, -1)");
        Value four = s.op("aten.reshape.default", "self", sinks, "shape", new long[] {1, -1, 1, 1});
        SymExpr[] all = {Request.BATCH, SymExpr.of(-1), request.length(), SymExpr.of(-1)};
        Value column = s.op("aten.expand.default", "self", four, "size", all);
        s.line("combined = torch.cat([weights, sinks], dim=-1)");
        Value combined = s.op("aten.cat.default", "tensors", new Value[] {weights, column}, "dim", -1);
        s.line("combined = combined - combined.max(dim=-1, keepdim=True).values");
        Value[] most = s.ops("aten.max.dim", 2, arguments("self", combined, "dim", -1, "keepdim", true));
        combined = s.op("aten.sub.Tensor", "self", combined, "other", most[0]);
        s.line("shares = softmax(combined, dim=-1, dtype=combined.dtype)");
        Value shares =
                s.op("aten.softmax.int", "self", combined, "dim", -1, "dtype", new Argument.TypeOf(combined.name()));
        s.line("scores = shares[..., :-1]");
        return s.op("aten.slice.Tensor", "self", shares, "dim", -1, "start", 0, "end", -1);
    }

    private static Value dropped(Scope s, AttentionShape shape, Value x) {
        return s.op("aten.dropout.default", "input", x, "p", shape.dropout(), "train", s.training());
    }

    /** {@code x = x / cap; x = torch.tanh(x); x = x * cap}. */
    static Value capped(Scope s, String name, Value x, double cap) {
        s.line(name + " = " + name + " / cap");
        Value small = s.op("aten.div.Tensor", "self", x, "other", cap);
        s.line(name + " = torch.tanh(" + name + ")");
        Value bent = s.op("aten.tanh.default", "self", small);
        s.line(name + " = " + name + " * cap");
        return s.op("aten.mul.Tensor", "self", bent, "other", cap);
    }
}
