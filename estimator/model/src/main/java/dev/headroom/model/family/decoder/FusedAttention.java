package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** Self-attention with one projection for queries, keys and values. */
public final class FusedAttention extends SelfAttention {
    private final long queries;
    private final long keys;
    private final Layer all;
    private final Layer out;

    public FusedAttention(AttentionShape shape, Request request, Pass pass) {
        super(shape, request, pass, Turn.PART);
        queries = shape.heads() * shape.size();
        keys = shape.keys() * shape.size();
        out = child("o_proj", Layers.linear(queries, shape.width(), shape.outBias()));
        all = child("qkv_proj", Layers.linear(shape.width(), queries + 2 * keys, shape.bias()));
    }

    @Override
    protected Layer out() {
        return out;
    }

    @Override
    protected Value[] project(Scope s, Value x) {
        s.line("qkv = self.qkv_proj(x)");
        Value qkv = s.call(all, x);
        s.line("queries = qkv[..., :q_end]");
        Value q = Rotations.slice(s, qkv, 0, queries);
        s.line("keys = qkv[..., q_end:k_end]");
        Value k = Rotations.slice(s, qkv, queries, queries + keys);
        s.line("values = qkv[..., k_end:]");
        Value v = Rotations.slice(s, qkv, queries + keys, Long.MAX_VALUE);
        s.line("queries = queries.view(shape).transpose(1, 2)");
        q = heads(s, q);
        s.line("keys = keys.view(shape).transpose(1, 2)");
        k = heads(s, k);
        s.line("values = values.view(shape).transpose(1, 2)");
        return new Value[] {q, k, heads(s, v)};
    }
}
