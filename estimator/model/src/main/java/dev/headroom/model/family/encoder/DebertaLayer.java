package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.SymExpr;

/** {@code DebertaV2Layer}. Its inputs: states, mask, distances of tokens, and the distances' embeddings. */
final class DebertaLayer extends Layer {
    private static final String CLASS = DebertaV2.CLASS;

    private final Layer attention;
    private final Layer intermediate;
    private final Layer output;

    DebertaLayer(Shape shape, Request request, DebertaEncoder.Distances how) {
        attention = child("attention", new Attention(shape, request, how));
        intermediate = child(
                "intermediate",
                new NamedSequence(CLASS + "Intermediate", "dense", "intermediate_act_fn")
                        .with("dense", Layers.linear(shape.width(), shape.inner()))
                        .with("intermediate_act_fn", Activations.of(request.config(), "hidden_act", "gelu")));
        output = child("output", new AddAndNorm(CLASS + "Output", shape, shape.inner()));
    }

    @Override
    protected String type() {
        return CLASS + "Layer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("attention_output = self.attention(x, mask, relative_pos, rel_embeddings)");
        Value attended = s.call(attention, in);
        s.line("intermediate_output = self.intermediate(attention_output)");
        Value inner = s.call(intermediate, attended);
        s.line("layer_output = self.output(intermediate_output, attention_output)");
        return s.call(output, inner, attended);
    }

    /** {@code DebertaV2Attention}. */
    private static final class Attention extends Layer {
        private final Layer self;
        private final Layer output;

        private Attention(Shape shape, Request request, DebertaEncoder.Distances how) {
            self = child("self", new Disentangled(shape, request.config(), how));
            output = child("output", new AddAndNorm(CLASS + "SelfOutput", shape, shape.width()));
        }

        @Override
        protected String type() {
            return CLASS + "Attention";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("self_output = self.self(x, mask, relative_pos, rel_embeddings)");
            Value attended = s.call(self, in);
            s.line("attention_output = self.output(self_output, query_states)");
            return s.call(output, attended, in[0]);
        }
    }

    /** {@code DisentangledSelfAttention}: scores of contents, and of contents and distances. */
    private static final class Disentangled extends Layer {
        private final Shape shape;
        private final DebertaEncoder.Distances how;
        private final boolean shared;
        private final boolean toPosition;
        private final boolean fromPosition;
        private final Layer queries;
        private final Layer keys;
        private final Layer values;
        private final Layer positionKeys;
        private final Layer positionQueries;
        private final Layer positionDropout;
        private final Layer dropout;

        private Disentangled(Shape shape, ModelConfig c, DebertaEncoder.Distances how) {
            this.shape = shape;
            this.how = how;
            long width = shape.width();
            String kinds = String.valueOf(c.entries().get("pos_att_type"));
            toPosition = kinds.contains("c2p");
            fromPosition = kinds.contains("p2c");
            shared = c.flag("share_att_key", false);
            queries = child("query_proj", Layers.linear(width, width));
            keys = child("key_proj", Layers.linear(width, width));
            values = child("value_proj", Layers.linear(width, width));
            positionDropout = child("pos_dropout", Layers.dropout(shape.dropout()));
            positionKeys = shared ? keys : Layers.linear(width, width);
            positionQueries = shared ? queries : Layers.linear(width, width);
            if (!shared && toPosition) {
                child("pos_key_proj", positionKeys);
            }
            if (!shared && fromPosition) {
                child("pos_query_proj", positionQueries);
            }
            dropout = child("dropout", Layers.dropout(shape.attentionDropout()));
        }

        @Override
        protected String type() {
            return CLASS.replace("DebertaV2", "") + "DisentangledSelfAttention";
        }

        private Value heads(Scope s, Layer projection, Value x, SymExpr rows) {
            Value projected = s.call(projection, x);
            return s.function("transpose_for_scores", () -> {
                s.line("x = x.view(new_x_shape)");
                long size = shape.width() / shape.heads();
                SymExpr[] sizes = {SymExpr.of(-1), rows, SymExpr.of(shape.heads()), SymExpr.of(size)};
                Value view = s.op("aten.view.default", "self", projected, "size", sizes);
                s.line("return x.permute(0, 2, 1, 3).contiguous().view(-1, x.size(1), x.size(-1))");
                Value turned = s.op("aten.permute.default", "self", view, "dims", new long[] {0, 2, 1, 3});
                Value copy = s.op("aten.contiguous.default", "self", turned);
                SymExpr[] flat = {SymExpr.of(-1), rows, SymExpr.of(size)};
                return s.op("aten.view.default", "self", copy, "size", flat);
            });
        }

        private static Value turned(Scope s, Value x) {
            return s.op("aten.transpose.int", "self", x, "dim0", -1, "dim1", -2);
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("query_layer = self.transpose_for_scores(self.query_proj(query_states))");
            Value q = heads(s, queries, in[0], Request.SEQ);
            s.line("key_layer = self.transpose_for_scores(self.key_proj(hidden_states))");
            Value k = heads(s, keys, in[0], Request.SEQ);
            s.line("value_layer = self.transpose_for_scores(self.value_proj(hidden_states))");
            Value v = heads(s, values, in[0], Request.SEQ);
            s.line("attention_scores = torch.bmm(query_layer, key_layer.transpose(-1, -2) / scale)");
            Value scaled = s.op("aten.div.Tensor", "self", turned(s, k), "other", 2.0);
            Value scores = s.op("aten.bmm.default", "self", q, "mat2", scaled);
            s.line("rel_embeddings = self.pos_dropout(rel_embeddings)");
            Value table = s.call(positionDropout, in[3]);
            if (toPosition || fromPosition) {
                s.line("rel_att = self.disentangled_attention_bias(query_layer, key_layer)");
                Value bias = s.function("disentangled_attention_bias", () -> bias(s, q, k, in[2], table));
                s.line("attention_scores = attention_scores + rel_att");
                scores = s.op("aten.add.Tensor", "self", scores, "other", bias);
            }
            s.line("attention_scores = attention_scores.view(-1, heads, queries, keys)");
            SymExpr[] four = {SymExpr.of(-1), SymExpr.of(shape.heads()), Request.SEQ, Request.SEQ};
            scores = s.op("aten.view.default", "self", scores, "size", four);
            s.line("attention_mask = attention_mask.bool()");
            Value mask = s.op("aten.to.dtype", "self", in[1], "dtype", dev.headroom.model.graph.DType.BOOL);
            s.line("attention_scores = attention_scores.masked_fill(~(attention_mask), lowest)");
            Value hidden = s.op("aten.bitwise_not.default", "self", mask);
            scores = s.op("aten.masked_fill.Scalar", "self", scores, "mask", hidden, "value", -1e4);
            s.line("attention_probs = nn.functional.softmax(attention_scores, dim=-1)");
            Value shares = s.op("aten.softmax.int", "self", scores, "dim", -1);
            s.line("attention_probs = self.dropout(attention_probs)");
            shares = s.call(dropout, shares);
            s.line("context_layer = torch.bmm(attention_probs.view(-1, queries, keys), value_layer)");
            SymExpr[] three = {SymExpr.of(-1), Request.SEQ, Request.SEQ};
            Value rows = s.op("aten.view.default", "self", shares, "size", three);
            Value context = s.op("aten.bmm.default", "self", rows, "mat2", v);
            return joined(s, context);
        }

        private Value joined(Scope s, Value context) {
            s.line("context_layer = context_layer.view(-1, heads, rows, size).permute(0, 2, 1, 3).contiguous()");
            SymExpr[] four = {
                SymExpr.of(-1), SymExpr.of(shape.heads()), Request.SEQ, SymExpr.of(shape.width() / shape.heads())
            };
            Value split = s.op("aten.view.default", "self", context, "size", four);
            Value turned = s.op("aten.permute.default", "self", split, "dims", new long[] {0, 2, 1, 3});
            Value copy = s.op("aten.contiguous.default", "self", turned);
            s.line("context_layer = context_layer.view(new_context_layer_shape)");
            SymExpr[] whole = {Request.BATCH, Request.SEQ, SymExpr.of(shape.width())};
            return s.op("aten.view.default", "self", copy, "size", whole);
        }

        private Value positions(Scope s, Layer projection, Value table) {
            Value each = heads(s, projection, table, SymExpr.of(2 * how.span()));
            SymExpr[] times = {Request.BATCH, SymExpr.of(1), SymExpr.of(1)};
            return s.op("aten.repeat.default", "self", each, "repeats", times);
        }

        /** {@code disentangled_attention_bias}. */
        private Value bias(Scope s, Value q, Value k, Value apart, Value table) {
            s.line("relative_pos = relative_pos.unsqueeze(1)");
            Value distances = s.op("aten.unsqueeze.default", "self", apart, "dim", 1);
            s.line("rel_embeddings = rel_embeddings[0 : att_span * 2, :].unsqueeze(0)");
            Value all = s.op("aten.unsqueeze.default", "self", table, "dim", 0);
            Value positionQuery = null;
            Value positionKey = null;
            if (shared || !toPosition) {
                s.line("pos_query_layer = self.transpose_for_scores(self.query_proj(rel_embeddings)).repeat()");
                positionQuery = positions(s, positionQueries, all);
            }
            if (shared || toPosition) {
                s.line("pos_key_layer = self.transpose_for_scores(self.key_proj(rel_embeddings)).repeat()");
                positionKey = positions(s, positionKeys, all);
            }
            if (!shared && toPosition && fromPosition) {
                s.line("pos_query_layer = self.transpose_for_scores(self.query_proj(rel_embeddings)).repeat()");
                positionQuery = positions(s, positionQueries, all);
            }
            Value score = null;
            if (toPosition && positionKey != null) {
                s.line("c2p_att = torch.bmm(query_layer, pos_key_layer.transpose(-1, -2))");
                Value products = s.op("aten.bmm.default", "self", q, "mat2", turned(s, positionKey));
                s.line("c2p_pos = torch.clamp(relative_pos + att_span, 0, att_span * 2 - 1)");
                Value at = clamped(s, distances);
                s.line("c2p_att = torch.gather(c2p_att, dim=-1, index=c2p_pos)");
                Value picked = gathered(s, products, at);
                s.line("score += c2p_att / scale");
                Value share = s.op("aten.div.Tensor", "self", picked, "other", 2.0);
                score = s.op("aten.add.Tensor", "self", share, "other", 0);
            }
            if (fromPosition && positionQuery != null) {
                s.line("p2c_pos = torch.clamp(-r_pos + att_span, 0, att_span * 2 - 1)");
                Value at = clamped(s, s.op("aten.neg.default", "self", distances));
                s.line("p2c_att = torch.bmm(key_layer, pos_query_layer.transpose(-1, -2))");
                Value products = s.op("aten.bmm.default", "self", k, "mat2", turned(s, positionQuery));
                s.line("p2c_att = torch.gather(p2c_att, dim=-1, index=p2c_pos).transpose(-1, -2)");
                Value picked = turned(s, gathered(s, products, at));
                s.line("score += p2c_att / scale");
                Value share = s.op("aten.div.Tensor", "self", picked, "other", 2.0);
                score = score == null
                        ? s.op("aten.add.Tensor", "self", share, "other", 0)
                        : s.op("aten.add_.Tensor", "self", score, "other", share);
            }
            return java.util.Objects.requireNonNull(score);
        }

        private Value clamped(Scope s, Value distances) {
            Value moved = s.op("aten.add.Tensor", "self", distances, "other", how.span());
            return s.op("aten.clamp.default", "self", moved, "min", 0, "max", 2 * how.span() - 1);
        }

        private Value gathered(Scope s, Value products, Value at) {
            Value index = s.op("aten.squeeze.dim", "self", at, "dim", 0);
            SymExpr heads = SymExpr.call("Mul", Request.BATCH, SymExpr.of(shape.heads()));
            SymExpr[] sizes = {heads, Request.SEQ, Request.SEQ};
            Value wide = s.op("aten.expand.default", "self", index, "size", sizes);
            return s.op("aten.gather.default", "self", products, "dim", -1, "index", wide);
        }
    }
}
