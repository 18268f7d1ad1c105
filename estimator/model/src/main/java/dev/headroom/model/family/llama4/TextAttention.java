package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/**
 * {@code Llama4TextAttention}: queries and keys are turned before their lengths become 1; in layers without positions,
 * queries grow with the text instead.
 */
final class TextAttention extends SelfAttention {
    private final AttentionShape shape;
    private final Request request;
    private final Pass pass;
    private final boolean turns;
    private final boolean grows;
    private final long floor;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final Layer out;
    private final @Nullable Layer norm;

    /** @param turns whether the layer has positions */
    TextAttention(AttentionShape shape, Request request, Pass pass, boolean turns) {
        super(shape, request, pass, Turn.NONE);
        ModelConfig c = request.config();
        this.shape = shape;
        this.request = request;
        this.pass = pass;
        this.turns = turns;
        grows = !turns && c.flag("attn_temperature_tuning", true);
        floor = c.size("floor_scale", 8192);
        long queries = shape.heads() * shape.size();
        long keys = shape.keys() * shape.size();
        query = child("q_proj", Layers.linear(shape.width(), queries, shape.bias()));
        key = child("k_proj", Layers.linear(shape.width(), keys, shape.bias()));
        value = child("v_proj", Layers.linear(shape.width(), keys, shape.bias()));
        out = child("o_proj", Layers.linear(queries, shape.width(), shape.outBias()));
        norm = turns && c.flag("use_qk_norm", true)
                ? child("qk_norm", Norm.length(c.number("rms_norm_eps", Llama4.EPS)))
                : null;
    }

    @Override
    protected Layer out() {
        return out;
    }

    @Override
    protected Value[] project(Scope s, Value x) {
        s.line("queries = self.q_proj(hidden_states).view(hidden_shape)");
        Value q = rows(s, s.call(query, x));
        s.line("keys = self.k_proj(hidden_states).view(*input_shape, -1, self.head_dim)");
        Value k = rows(s, s.call(key, x));
        s.line("values = self.v_proj(hidden_states).view(hidden_shape).transpose(1, 2)");
        Value v = heads(s, s.call(value, x));
        if (turns) {
            s.line("queries, keys = apply_rotary_emb(queries, keys, position_embeddings)");
            Value by = pass.rotation(shape.kind()).cos();
            Value row = s.op("aten.unsqueeze.default", "self", by, "dim", 2);
            SymExpr[] pairs = {
                Request.BATCH, request.length(), SymExpr.of(-1), SymExpr.of(shape.size() / 2), SymExpr.of(2)
            };
            Value[] turned = ComplexTurns.write(s, new Value[] {q, k}, row, pairs);
            q = turned[0];
            k = turned[1];
        }
        if (norm != null) {
            s.line("queries = self.qk_norm(queries)");
            q = s.call(norm, q);
            s.line("keys = self.qk_norm(keys)");
            k = s.call(norm, k);
        }
        if (grows) {
            q = grown(s, q);
        }
        s.line("queries = queries.transpose(1, 2)");
        q = s.op("aten.transpose.int", "self", q, "dim0", 1, "dim1", 2);
        s.line("keys = keys.transpose(1, 2)");
        k = s.op("aten.transpose.int", "self", k, "dim0", 1, "dim1", 2);
        return new Value[] {q, k, v};
    }

    private Value grown(Scope s, Value queries) {
        s.line("positions = torch.arange(hidden_states.shape[1], device=hidden_states.device) + past_seen_tokens");
        Value counted = s.op("aten.arange.default", "end", request.length());
        Value positions = s.op("aten.add.Tensor", "self", counted, "other", 0);
        s.line("attn_scales = torch.log1p(torch.floor((positions.float() + 1.0) / floor_scale)) * attn_scale + 1.0");
        Value x = s.op("aten.to.dtype", "self", positions, "dtype", DType.FLOAT32);
        x = s.op("aten.add.Tensor", "self", x, "other", 1.0);
        x = s.op("aten.div.Tensor", "self", x, "other", floor);
        x = s.op("aten.floor.default", "self", x);
        x = s.op("aten.log1p.default", "self", x);
        x = s.op("aten.mul.Tensor", "self", x, "other", 0.1);
        x = s.op("aten.add.Tensor", "self", x, "other", 1.0);
        s.line("attn_scales = attn_scales.view((1, input_shape[-1], 1, 1)).expand((*input_shape, 1, 1))");
        SymExpr one = SymExpr.of(1);
        Value column = s.op("aten.view.default", "self", x, "size", new SymExpr[] {one, request.length(), one, one});
        SymExpr[] all = {Request.BATCH, request.length(), one, one};
        Value scales = s.op("aten.expand.default", "self", column, "size", all);
        s.line("queries = (queries * attn_scales).to(queries.dtype)");
        Value product = s.op("aten.mul.Tensor", "self", queries, "other", scales);
        return s.op("aten.to.dtype", "self", product, "dtype", new Argument.TypeOf(queries.name()));
    }
}
