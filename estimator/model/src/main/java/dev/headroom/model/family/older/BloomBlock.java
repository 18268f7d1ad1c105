package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.KeyValueCache;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** {@code BloomBlock}. Its inputs: states and alibi; its results: states and the weights of attention. */
final class BloomBlock extends SeveralResults {
    private static final String CLASS = Bloom.CLASS;

    private final boolean fromNorm;
    private final Layer before;
    private final Layer attention;
    private final Layer between;
    private final Layer feedForward;

    BloomBlock(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        double dropped = c.number("hidden_dropout", 0);
        fromNorm = c.flag("apply_residual_connection_post_layernorm", false);
        before = child("input_layernorm", Layers.layerNorm(shape.width()));
        attention = child("self_attention", new Attention(shape, request, pass, dropped));
        between = child("post_attention_layernorm", Layers.layerNorm(shape.width()));
        feedForward = child("mlp", new FeedForward(shape.width(), dropped));
    }

    @Override
    protected String type() {
        return CLASS + "Block";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("layernorm_output = self.input_layernorm(x)");
        Value normed = s.call(before, in[0]);
        s.line("attn_weights, attention_output = self.self_attention(layernorm_output, residual)");
        Value[] attended = s.results(attention, normed, fromNorm ? normed : in[0], in[1]);
        s.line("layernorm_output = self.post_attention_layernorm(attention_output)");
        normed = s.call(between, attended[0]);
        s.line("output = self.mlp(layernorm_output, residual)");
        Value out = s.call(feedForward, normed, fromNorm ? normed : attended[0]);
        return new Value[] {out, attended[1]};
    }

    /** {@code BloomMLP}. */
    private static final class FeedForward extends Layer {
        private final Layer in;
        private final Layer out;
        private final Layer activation;
        private final double dropped;

        private FeedForward(long width, double dropped) {
            this.dropped = dropped;
            in = child("dense_h_to_4h", Layers.linear(width, 4 * width));
            activation = child("gelu_impl", new Gelu());
            out = child("dense_4h_to_h", Layers.linear(4 * width, width));
        }

        @Override
        protected String type() {
            return CLASS + "MLP";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("x = self.gelu_impl(self.dense_h_to_4h(x))");
            Value inner = s.call(activation, s.call(in, x[0]));
            s.line("intermediate_output = self.dense_4h_to_h(x)");
            Value made = s.call(out, inner);
            s.line("intermediate_output = dropout_add(intermediate_output, residual)");
            return DropoutAdd.of(s, made, x[1], dropped);
        }
    }

    /** {@code BloomGelu}. */
    private static final class Gelu extends Layer {
        @Override
        protected String type() {
            return CLASS + "Gelu";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return GeLUFunction.apply(x)");
            return s.op("transformers.bloom_gelu.default", "self", in[0]);
        }
    }

    /** {@code BloomAttention}. Its inputs: states, what is added to its result, and alibi. */
    private static final class Attention extends SeveralResults {
        private final AttentionShape shape;
        private final Request request;
        private final Pass pass;
        private final double dropped;
        private final Layer all;
        private final Layer dense;
        private final Layer dropout;

        private Attention(AttentionShape shape, Request request, Pass pass, double dropped) {
            this.shape = shape;
            this.request = request;
            this.pass = pass;
            this.dropped = dropped;
            all = child("query_key_value", Layers.linear(shape.width(), 3 * shape.width()));
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            dropout = child("attention_dropout", Layers.dropout(shape.dropout()));
        }

        @Override
        protected String type() {
            return shape.type();
        }

        private Value[] split(Scope s, Value fused) {
            s.line("fused_qkv = fused_qkv.view(batch_size, seq_length, self.num_heads, 3, self.head_dim)");
            SymExpr[] five = {
                Request.BATCH, request.length(), SymExpr.of(shape.heads()), SymExpr.of(3), SymExpr.of(shape.size())
            };
            Value view = s.op("aten.view.default", "self", fused, "size", five);
            Value[] three = new Value[3];
            String[] names = {"query_layer", "keys", "values"};
            for (int i = 0; i < three.length; i++) {
                s.line(names[i] + " = fused_qkv[..., i, :].transpose(1, 2)");
                Value part = s.op("aten.select.int", "self", view, "dim", 3, "index", i);
                three[i] = s.op("aten.transpose.int", "self", part, "dim0", 1, "dim1", 2);
            }
            return three;
        }

        private Value joined(Scope s, Value x) {
            SymExpr heads = SymExpr.call("Mul", Request.BATCH, SymExpr.of(shape.heads()));
            SymExpr[] three = {heads, SymExpr.of(-1), SymExpr.of(shape.size())};
            return s.op("aten.reshape.default", "self", x, "shape", three);
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("fused_qkv = self.query_key_value(x)");
            Value fused = s.call(all, in[0]);
            s.line("query_layer, keys, values = self._reshape(fused_qkv)");
            Value[] three = s.function("_reshape", () -> split(s, fused));
            Value[] kept = KeyValueCache.kept(s, request, shape, pass, three[1], three[2]);
            s.line("query_layer = query_layer.reshape(batch_size * self.num_heads, -1, self.head_dim)");
            Value q = joined(s, three[0]);
            s.line("keys = keys.reshape(batch_size * self.num_heads, -1, self.head_dim).transpose(-1, -2)");
            Value k = s.op("aten.transpose.int", "self", joined(s, kept[0]), "dim0", -1, "dim1", -2);
            s.line("values = values.reshape(batch_size * self.num_heads, -1, self.head_dim)");
            Value v = joined(s, kept[1]);
            s.line("attention_scores = alibi.baddbmm(batch1=query_layer, batch2=keys)");
            Value scores =
                    s.op("aten.baddbmm.default", "self", in[2], "batch1", q, "batch2", k, "beta", 1.0, "alpha", 0.5);
            s.line("attn_weights = attention_scores.view(batch_size, self.num_heads, q_length, -1)");
            SymExpr[] four = {Request.BATCH, SymExpr.of(shape.heads()), request.length(), SymExpr.of(-1)};
            Value weights = s.op("aten.view.default", "self", scores, "size", four);
            s.line("attn_weights = attn_weights + attention_mask");
            weights = s.op(
                    "aten.add.Tensor",
                    "self",
                    weights,
                    "other",
                    pass.mask(shape.kind()).orElseThrow());
            s.line("attention_probs = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query_layer.dtype)");
            Value wide = s.op("aten.softmax.int", "self", weights, "dim", -1, "dtype", DType.FLOAT32);
            Value shares = s.op("aten.to.dtype", "self", wide, "dtype", new Argument.TypeOf(q.name()));
            s.line("attention_probs = self.attention_dropout(attention_probs)");
            shares = s.call(dropout, shares);
            s.line("attention_probs_reshaped = attention_probs.view(batch_size * self.num_heads, q_length, -1)");
            SymExpr heads = SymExpr.call("Mul", Request.BATCH, SymExpr.of(shape.heads()));
            SymExpr[] rows = {heads, request.length(), SymExpr.of(-1)};
            Value flat = s.op("aten.view.default", "self", shares, "size", rows);
            s.line("context_layer = torch.bmm(attention_probs_reshaped, values)");
            Value context = s.op("aten.bmm.default", "self", flat, "mat2", v);
            s.line("context_layer = self._merge_heads(context_layer)");
            Value merged = merged(s, context);
            s.line("output_tensor = self.dense(context_layer)");
            Value made = s.call(dense, merged);
            s.line("output_tensor = dropout_add(output_tensor, residual)");
            return new Value[] {DropoutAdd.of(s, made, in[1], dropped), shares};
        }

        private Value merged(Scope s, Value context) {
            SymExpr[] four = {Request.BATCH, SymExpr.of(shape.heads()), request.length(), SymExpr.of(shape.size())};
            Value view = s.op("aten.view.default", "self", context, "size", four);
            Value turned = s.op("aten.permute.default", "self", view, "dims", new long[] {0, 2, 1, 3});
            SymExpr[] whole = {Request.BATCH, request.length(), SymExpr.of(shape.width())};
            return s.op("aten.reshape.default", "self", turned, "shape", whole);
        }
    }
}
