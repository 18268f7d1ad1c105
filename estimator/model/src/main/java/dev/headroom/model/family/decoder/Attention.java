package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Self-attention with a projection each for queries, keys and values. */
public final class Attention extends SelfAttention {
    /** Where queries and keys are normalised. */
    public enum Norms {
        NONE,
        /** Each head, tokens before heads. */
        HEADS,
        /** Each head, heads before tokens. */
        TURNED_HEADS,
        /** All heads of a token together. */
        WHOLE
    }

    private final Norms norms;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final Layer out;
    private final @Nullable Layer queryNorm;
    private final @Nullable Layer keyNorm;
    private final boolean sinks;

    /** With a parameter of what each head weighs beside keys, and heads turned by halves. */
    public static Attention withSinks(AttentionShape shape, Request request, Pass pass) {
        return new Attention(shape, request, pass, Turn.HALVES, Norms.NONE, Attention::none, true);
    }

    private static Layer none(long width) {
        throw new IllegalStateException("no norm is wanted");
    }

    /** Without norms. */
    public Attention(AttentionShape shape, Request request, Pass pass) {
        this(shape, request, pass, Turn.WHOLE, Norms.NONE, Attention::none);
    }

    /** @param norm of a width */
    public Attention(
            AttentionShape shape, Request request, Pass pass, Turn turn, Norms norms, LongFunction<Layer> norm) {
        this(shape, request, pass, turn, norms, norm, false);
    }

    private Attention(
            AttentionShape shape,
            Request request,
            Pass pass,
            Turn turn,
            Norms norms,
            LongFunction<Layer> norm,
            boolean sinks) {
        super(shape, request, pass, turn);
        this.sinks = sinks;
        if (sinks) {
            parameter("sinks", shape.heads());
        }
        this.norms = norms;
        long queries = shape.heads() * shape.size();
        long keys = shape.keys() * shape.size();
        query = child("q_proj", Layers.linear(shape.width(), queries, shape.bias()));
        key = child("k_proj", Layers.linear(shape.width(), keys, shape.bias()));
        value = child("v_proj", Layers.linear(shape.width(), keys, shape.bias()));
        out = child("o_proj", Layers.linear(queries, shape.width(), shape.outBias()));
        boolean whole = norms == Norms.WHOLE;
        queryNorm = norms == Norms.NONE ? null : child("q_norm", norm.apply(whole ? queries : shape.size()));
        keyNorm = norms == Norms.NONE ? null : child("k_norm", norm.apply(whole ? keys : shape.size()));
    }

    @Override
    protected boolean hasSinks() {
        return sinks;
    }

    @Override
    protected @Nullable Value sinks(Scope s) {
        return sinks ? s.parameter("sinks") : null;
    }

    @Override
    protected Layer out() {
        return out;
    }

    @Override
    protected Value[] project(Scope s, Value x) {
        if (norms == Norms.WHOLE) {
            return projectWhole(s, x);
        }
        s.line("queries = self.q_proj(x).view(shape).transpose(1, 2)");
        Value queries = early(s, query, queryNorm, x);
        s.line("keys = self.k_proj(x).view(shape).transpose(1, 2)");
        Value keys = early(s, key, keyNorm, x);
        s.line("values = self.v_proj(x).view(shape).transpose(1, 2)");
        Value values = heads(s, s.call(value, x));
        if (norms == Norms.TURNED_HEADS && queryNorm != null && keyNorm != null) {
            s.line("queries = self.q_norm(queries)");
            queries = s.call(queryNorm, queries);
            s.line("keys = self.k_norm(keys)");
            keys = s.call(keyNorm, keys);
        }
        return new Value[] {queries, keys, values};
    }

    private Value early(Scope s, Layer projection, @Nullable Layer norm, Value x) {
        Value projected = s.call(projection, x);
        if (norms != Norms.HEADS || norm == null) {
            return heads(s, projected);
        }
        return s.op("aten.transpose.int", "self", s.call(norm, rows(s, projected)), "dim0", 1, "dim1", 2);
    }

    private Value[] projectWhole(Scope s, Value x) {
        s.line("queries = self.q_norm(self.q_proj(x))");
        Value queries = normed(s, queryNorm, s.call(query, x));
        s.line("keys = self.k_norm(self.k_proj(x))");
        Value keys = normed(s, keyNorm, s.call(key, x));
        s.line("values = self.v_proj(x)");
        Value values = s.call(value, x);
        s.line("queries = queries.view(shape).transpose(1, 2)");
        queries = heads(s, queries);
        s.line("keys = keys.view(shape).transpose(1, 2)");
        keys = heads(s, keys);
        s.line("values = values.view(shape).transpose(1, 2)");
        return new Value[] {queries, keys, heads(s, values)};
    }

    private static Value normed(Scope s, @Nullable Layer norm, Value x) {
        return norm == null ? x : s.call(norm, x);
    }
}
