package dev.headroom.model.family.seq2seq;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.KeyValueCache;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code T5Attention}: scores are biased by how far apart tokens are, or by zeros. */
final class T5Attention extends SeveralResults {
    private final T5Shape shape;
    private final T5Pass pass;
    private final boolean decodes;
    private final boolean crosses;
    private final Layer queries;
    private final Layer keys;
    private final Layer values;
    private final Layer out;
    private final @Nullable Layer bias;

    /**
     * @param decodes whether it is part of the decoder
     * @param crosses whether it looks at what the encoder made
     * @param biased whether it knows how far apart tokens are
     */
    T5Attention(T5Shape shape, T5Pass pass, boolean decodes, boolean crosses, boolean biased) {
        this.shape = shape;
        this.pass = pass;
        this.decodes = decodes;
        this.crosses = crosses;
        long width = shape.width();
        long heads = shape.attention().heads();
        long inner = heads * shape.attention().size();
        queries = child("q", Layers.linear(width, inner, false));
        keys = child("k", Layers.linear(width, inner, false));
        values = child("v", Layers.linear(width, inner, false));
        out = child("o", Layers.linear(inner, width, false));
        bias = biased ? child("relative_attention_bias", Layers.embedding(shape.buckets(), heads)) : null;
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "Attention";
    }

    private Value heads(Scope s, Layer projection, Value x) {
        SymExpr size = SymExpr.of(shape.attention().size());
        SymExpr[] sizes = {Request.BATCH, Request.SEQ, SymExpr.of(-1), size};
        Value split = s.op("aten.view.default", "self", s.call(projection, x), "size", sizes);
        return s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
    }

    /** The result, the bias and, in plain operators, the weights. */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("query_states = self.q(hidden_states).view(hidden_shape).transpose(1, 2)");
        Value q = heads(s, queries, in[0]);
        Value from = crosses ? Objects.requireNonNull(pass.states()) : in[0];
        s.line("keys = self.k(current_states).view(kv_shape).transpose(1, 2)");
        Value k = heads(s, keys, from);
        s.line("values = self.v(current_states).view(kv_shape).transpose(1, 2)");
        Value v = heads(s, values, from);
        Value[] kept = decodes
                ? KeyValueCache.kept(s, shape.own(), shape.attention(), shape.pass(), k, v)
                : new Value[] {k, v};
        T5Pass.Sight sight = crosses ? pass.encoder() : pass.own();
        @Nullable Value given = sight.bias();
        Value biases = given == null ? made(s, q) : given;
        boolean eager = shape.request().eager();
        s.line((eager ? "weights, attn" : "attn, weights") + " = attention_interface(self, q, k, v, mask)");
        Value[] attended = eager
                ? s.function("eager_attention", () -> eager(s, q, kept, biases, sight.mask()))
                : new Value[] {s.function("sdpa_attention", () -> kernel(s, q, kept, biases, sight.mask()))};
        s.line("attn = attn.reshape(*input_shape, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, Request.SEQ, SymExpr.of(-1)};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("attn = self.o(attn)");
        Value result = s.call(out, flat);
        return attended.length == 1 ? new Value[] {result, biases} : new Value[] {result, biases, attended[1]};
    }

    private Value made(Scope s, Value like) {
        if (bias != null) {
            s.line("position_bias = self.compute_bias(query_length, key_length)");
            return s.function("compute_bias", () -> RelativeBias.write(s, shape, !decodes, bias));
        }
        s.line("position_bias = torch.zeros((1, self.n_heads, query_length, key_length))");
        SymExpr[] sizes = {SymExpr.of(1), SymExpr.of(shape.attention().heads()), Request.SEQ, Request.SEQ};
        Argument type = new Argument.TypeOf(like.name());
        Value zeros = s.op("aten.zeros.default", "size", sizes, "dtype", type);
        if (!shape.checkpointed()) {
            return zeros;
        }
        s.line("position_bias.requires_grad = True");
        return s.op("aten.requires_grad_.default", "self", zeros);
    }

    private Value kernel(Scope s, Value q, Value[] kept, Value biases, Optional<Value> mask) {
        s.line("attention_mask = create_position_bias_mask(position_bias, attention_mask, is_causal)");
        Value both = s.function("create_position_bias_mask", () -> biased(s, biases, mask));
        s.line("out = scaled_dot_product_attention(query, key, value, attn_mask=attention_mask)");
        Value attended = s.op(
                "aten.scaled_dot_product_attention.default",
                arguments(
                        "query",
                        q,
                        "key",
                        kept[0],
                        "value",
                        kept[1],
                        "attn_mask",
                        both,
                        "dropout_p",
                        s.training() ? shape.dropout() : 0.0,
                        "is_causal",
                        false,
                        "scale",
                        1.0));
        s.line("out = out.transpose(1, 2).contiguous()");
        return rowsFirst(s, attended);
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    /** transformers, integrations/sdpa_attention.py: a mask for each layer. */
    private Value biased(Scope s, Value biases, Optional<Value> mask) {
        if (mask.isPresent()) {
            s.line("position_bias_mask = torch.where(attention_mask, position_bias, min_dtype)");
            return s.op("aten.where.ScalarOther", "condition", mask.get(), "self", biases, "other", -1e38);
        }
        if (crosses || !decodes) {
            return biases;
        }
        s.line("causal_mask = torch.arange(q_length)[:, None] >= torch.arange(kv_length)[None, :]");
        Value rows = s.op("aten.unsqueeze.default", "self", s.op("aten.arange.default", "end", Request.SEQ), "dim", 1);
        Value columns =
                s.op("aten.unsqueeze.default", "self", s.op("aten.arange.default", "end", Request.SEQ), "dim", 0);
        Value seen = s.op("aten.ge.Tensor", "self", rows, "other", columns);
        s.line("causal_mask = causal_mask.view(1, 1, q_length, kv_length)");
        SymExpr[] four = {SymExpr.of(1), SymExpr.of(1), Request.SEQ, Request.SEQ};
        seen = s.op("aten.view.default", "self", seen, "size", four);
        s.line("position_bias_mask = torch.where(causal_mask, position_bias, min_dtype)");
        return s.op("aten.where.ScalarOther", "condition", seen, "self", biases, "other", -1e38);
    }

    private Value[] eager(Scope s, Value q, Value[] kept, Value biases, Optional<Value> mask) {
        s.line("weights = torch.matmul(query, key.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", kept[0], "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", 1.0);
        s.line("weights = weights + position_bias");
        weights = s.op("aten.add.Tensor", "self", weights, "other", biases);
        if (mask.isPresent()) {
            s.line("weights = weights + attention_mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", mask.get());
        }
        s.line("weights = softmax(weights, dim=-1)");
        weights = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("weights = dropout(weights, p=dropout, training=module.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", shape.dropout(), "train", s.training());
        s.line("out = torch.matmul(weights, value)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", kept[1]);
        s.line("out = out.transpose(1, 2).contiguous()");
        return new Value[] {rowsFirst(s, attended), weights};
    }

    /** Numbers of 64 bits. */
    static Value numbers(Scope s, Value x) {
        return s.op("aten.to.dtype", "self", x, "dtype", DType.INT64);
    }
}
