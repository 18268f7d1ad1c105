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
        /** Nowhere; tokens before heads until all three are made. */
        VIEWED,
        /** Each head, tokens before heads. */
        HEADS,
        /** Each head, tokens before heads, once all three are made. */
        VIEWED_HEADS,
        /** Each head, heads before tokens. */
        TURNED_HEADS,
        /** The same, each head with a norm of its own. */
        OWN_HEADS,
        /** All heads of a token together. */
        WHOLE
    }

    /**
     * What its output projection and its norms are called, and what follows the projection.
     *
     * @param outDropout of the output projection's result, by a function; {@code null} for none
     * @param projectsFirst whether all three projections come before any view of them
     * @param clip the largest element of a projection, cut in place; {@code null} for none
     */
    public record Names(
            String out,
            String queryNorm,
            String keyNorm,
            @Nullable Double outDropout,
            boolean projectsFirst,
            @Nullable Double clip) {
        /** As in Llama and Qwen 3. */
        public static final Names USUAL = new Names("o_proj", "q_norm", "k_norm", null, false, null);

        /** With a dropout. */
        public static Names dropping(double p) {
            return new Names("o_proj", "q_norm", "k_norm", p, false, null);
        }

        /** With norms that are called {@code q_layernorm} and {@code k_layernorm}. */
        public static Names layerNormed(String out) {
            return new Names(out, "q_layernorm", "k_layernorm", null, false, null);
        }

        /** With views once all three projections are made. */
        public Names inTurn() {
            return new Names(out, queryNorm, keyNorm, outDropout, true, clip);
        }

        /** With views once all three projections are made and cut. */
        public Names clipped(@Nullable Double most) {
            return new Names(out, queryNorm, keyNorm, outDropout, true, most);
        }
    }

    private final Norms norms;
    private final Names names;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final Layer out;
    private final @Nullable Layer queryNorm;
    private final @Nullable Layer keyNorm;
    private final boolean sinks;

    /** With a parameter of what each head weighs beside keys, and heads turned by halves. */
    public static Attention withSinks(AttentionShape shape, Request request, Pass pass) {
        return new Attention(shape, request, pass, Turn.HALVES, Norms.NONE, Attention::none, true, Names.USUAL);
    }

    /** Without norms, under other names. */
    public static Attention named(AttentionShape shape, Request request, Pass pass, Turn turn, Names names) {
        return new Attention(shape, request, pass, turn, Norms.NONE, Attention::none, false, names);
    }

    /** With norms of heads, under other names. */
    public static Attention normed(
            AttentionShape shape,
            Request request,
            Pass pass,
            Turn turn,
            Norms norms,
            LongFunction<Layer> norm,
            Names names) {
        return new Attention(shape, request, pass, turn, norms, norm, false, names);
    }

    private static Layer none(long width) {
        throw new IllegalStateException("no norm is wanted");
    }

    /** Without norms. */
    public Attention(AttentionShape shape, Request request, Pass pass) {
        this(shape, request, pass, Turn.WHOLE, Norms.NONE, Attention::none);
    }

    /** @param norm of a width; of a number of heads for {@code VIEWED_HEADS} and {@code OWN_HEADS} */
    public Attention(
            AttentionShape shape, Request request, Pass pass, Turn turn, Norms norms, LongFunction<Layer> norm) {
        this(shape, request, pass, turn, norms, norm, false, Names.USUAL);
    }

    private Attention(
            AttentionShape shape,
            Request request,
            Pass pass,
            Turn turn,
            Norms norms,
            LongFunction<Layer> norm,
            boolean sinks,
            Names names) {
        super(shape, request, pass, turn);
        this.sinks = sinks;
        this.names = names;
        if (sinks) {
            parameter("sinks", shape.heads());
        }
        this.norms = norms;
        long queries = shape.heads() * shape.size();
        long keys = shape.keys() * shape.size();
        query = child("q_proj", Layers.linear(shape.width(), queries, shape.bias()));
        key = child("k_proj", Layers.linear(shape.width(), keys, shape.bias()));
        value = child("v_proj", Layers.linear(shape.width(), keys, shape.bias()));
        out = child(names.out(), Layers.linear(queries, shape.width(), shape.outBias()));
        boolean whole = norms == Norms.WHOLE;
        boolean counted = norms == Norms.VIEWED_HEADS || norms == Norms.OWN_HEADS;
        boolean none = norms == Norms.NONE || norms == Norms.VIEWED;
        long queryWidth = whole ? queries : counted ? shape.heads() : shape.size();
        long keyWidth = whole ? keys : counted ? shape.keys() : shape.size();
        queryNorm = none ? null : child(names.queryNorm(), norm.apply(queryWidth));
        keyNorm = none ? null : child(names.keyNorm(), norm.apply(keyWidth));
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
    protected @Nullable Double outDropout() {
        return names.outDropout();
    }

    @Override
    protected Value[] project(Scope s, Value x) {
        if (norms == Norms.VIEWED_HEADS || norms == Norms.VIEWED) {
            return projectViewed(s, x);
        }
        if (norms == Norms.WHOLE) {
            return projectWhole(s, x);
        }
        Value[] made = names.projectsFirst() ? apart(s, x) : together(s, x);
        Value queries = made[0];
        Value keys = made[1];
        if (norms != Norms.HEADS && queryNorm != null && keyNorm != null) {
            s.line("queries = self.q_norm(queries)");
            queries = s.call(queryNorm, queries);
            s.line("keys = self.k_norm(keys)");
            keys = s.call(keyNorm, keys);
        }
        return new Value[] {queries, keys, made[2]};
    }

    private Value[] together(Scope s, Value x) {
        s.line("queries = self.q_proj(x).view(shape).transpose(1, 2)");
        Value queries = early(s, query, queryNorm, x);
        s.line("keys = self.k_proj(x).view(shape).transpose(1, 2)");
        Value keys = early(s, key, keyNorm, x);
        s.line("values = self.v_proj(x).view(shape).transpose(1, 2)");
        return new Value[] {queries, keys, heads(s, s.call(value, x))};
    }

    private Value[] apart(Scope s, Value x) {
        s.line("queries = self.q_proj(x)");
        Value queries = s.call(query, x);
        s.line("keys = self.k_proj(x)");
        Value keys = s.call(key, x);
        s.line("values = self.v_proj(x)");
        Value values = s.call(value, x);
        return views(s, cut(s, "queries", queries), cut(s, "keys", keys), cut(s, "values", values));
    }

    private Value cut(Scope s, String name, Value x) {
        Double most = names.clip();
        if (most == null) {
            return x;
        }
        s.line(name + ".clamp_(min=-self.config.clip_qkv, max=self.config.clip_qkv)");
        return s.op("aten.clamp_.default", "self", x, "min", -most, "max", most);
    }

    private Value[] views(Scope s, Value q, Value k, Value v) {
        s.line("queries = queries.view(shape).transpose(1, 2)");
        Value queries = heads(s, q);
        s.line("keys = keys.view(shape).transpose(1, 2)");
        Value keys = heads(s, k);
        s.line("values = values.view(shape).transpose(1, 2)");
        return new Value[] {queries, keys, heads(s, v)};
    }

    private Value[] projectViewed(Scope s, Value x) {
        s.line("queries = self.q_proj(x).view(shape)");
        Value queries = rows(s, s.call(query, x));
        s.line("keys = self.k_proj(x).view(shape)");
        Value keys = rows(s, s.call(key, x));
        s.line("values = self.v_proj(x).view(shape)");
        Value values = rows(s, s.call(value, x));
        if (norms == Norms.VIEWED_HEADS) {
            s.line("queries = self.q_norm(queries)");
            queries = normed(s, queryNorm, queries);
            s.line("keys = self.k_norm(keys)");
            keys = normed(s, keyNorm, keys);
        }
        s.line("queries = queries.transpose(1, 2)");
        queries = s.op("aten.transpose.int", "self", queries, "dim0", 1, "dim1", 2);
        s.line("keys = keys.transpose(1, 2)");
        keys = s.op("aten.transpose.int", "self", keys, "dim0", 1, "dim1", 2);
        s.line("values = values.transpose(1, 2)");
        return new Value[] {queries, keys, s.op("aten.transpose.int", "self", values, "dim0", 1, "dim1", 2)};
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
        return views(s, cut(s, "queries", queries), cut(s, "keys", keys), cut(s, "values", values));
    }

    private static Value normed(Scope s, @Nullable Layer norm, Value x) {
        return norm == null ? x : s.call(norm, x);
    }
}
