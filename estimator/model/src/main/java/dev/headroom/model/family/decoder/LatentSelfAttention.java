package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;

/** Attention whose keys and values are kept as one narrow row a token (models/deepseek_v3/modeling_deepseek_v3.py). */
public abstract class LatentSelfAttention extends SeveralResults implements ReturnsMore {
    /**
     * Parts of heads.
     *
     * @param rank width of the row that is kept
     * @param plain elements of queries and keys that positions do not turn
     * @param turned those that they do
     * @param value elements of values
     */
    public record Sizes(long rank, long plain, long turned, long value) {}

    private final AttentionShape shape;
    private final Sizes sizes;
    private final Request request;
    private final Pass pass;
    private final boolean interleaved;

    /** @param interleaved whether elements that are turned together lie side by side */
    protected LatentSelfAttention(AttentionShape shape, Sizes sizes, Request request, Pass pass, boolean interleaved) {
        this.shape = shape;
        this.sizes = sizes;
        this.request = request;
        this.pass = pass;
        this.interleaved = interleaved;
    }

    /** Queries of all heads, in lines that bind them. */
    protected abstract Value queries(Scope s, Value x);

    protected abstract Layer keysDown();

    protected abstract Layer keysNorm();

    protected abstract Layer keysUp();

    protected abstract Layer out();

    @Override
    public final boolean returnsMore() {
        return request.eager();
    }

    @Override
    protected final String type() {
        return shape.type();
    }

    @Override
    protected final Value[] results(Scope s, Value... in) {
        Value queries = queries(s, in[0]);
        s.line("q_states = q_states.view(query_shape).transpose(1, 2)");
        queries = heads(s, queries, shape.size());
        s.line("q_pass, q_rot = torch.split(q_states, [nope, rope], dim=-1)");
        Value[] ofQueries = split(s, queries, sizes.plain, sizes.turned);
        s.line("compressed_kv = self.kv_a_proj_with_mqa(x)");
        Value row = s.call(keysDown(), in[0]);
        s.line("kv_nope, k_rot = torch.split(compressed_kv, [rank, rope], dim=-1)");
        Value[] ofKeys = split(s, row, sizes.rank, sizes.turned);
        s.line("kv_nope = self.kv_a_layernorm(kv_nope)");
        Value narrow = s.call(keysNorm(), ofKeys[0]);
        s.line("kv_nope = kv_nope.view(batch_size, 1, seq_length, rank)");
        narrow = single(s, narrow, sizes.rank);
        s.line("k_rot = k_rot.view(batch_size, 1, seq_length, rope)");
        Value turns = single(s, ofKeys[1], sizes.turned);
        AttentionShape turned = shape.withTurned(sizes.turned);
        SelfAttention.Turn how = interleaved ? SelfAttention.Turn.PAIRS : SelfAttention.Turn.WHOLE;
        s.line("q_rot, k_rot = apply_rotary_pos_emb(q_rot, k_rot, cos, sin)");
        Value[] rotated = Rotations.apply(s, how, ofQueries[1], turns, pass.rotation(shape.kind()), turned);
        Value[] kept = cached(s, narrow, rotated[1]);
        s.line("query_states = torch.cat((q_pass, q_rot), dim=-1)");
        Value all = s.op("aten.cat.default", "tensors", new Value[] {ofQueries[0], rotated[0]}, "dim", -1);
        s.line("key_states, value_states = self.expand_kv(kv_nope, k_rot)");
        Value[] expanded = s.function("expand_kv", () -> expanded(s, kept[0], kept[1]));
        Value[] attended =
                AttentionCall.write(s, request, shape, pass.mask(shape.kind()), null, all, expanded[0], expanded[1]);
        s.line("out = out.reshape(batch, seq, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, request.length(), SymExpr.of(-1)};
        Value flat = s.op("aten.reshape.default", "self", attended[0], "shape", joined);
        s.line("out = self.o_proj(out)");
        Value result = s.call(out(), flat);
        return attended.length == 1 ? new Value[] {result} : new Value[] {result, attended[1]};
    }

    private Value[] cached(Scope s, Value narrow, Value turns) {
        CacheStep step = request.step();
        if (step == null && !request.caches()) {
            return new Value[] {narrow, turns};
        }
        s.line("kv_nope, k_rot = past_key_values.update(kv_nope, k_rot, self.layer_idx)");
        if (step != null) {
            if (step.fixed()) {
                throw new UserInputException("`cache=static` is not written for latent attention; take dynamic");
            }
            AttentionShape row = shape.withKeys(1).withSize(sizes.rank);
            return KeyValueCache.update(s, step, row, pass.nextLayer(), narrow, turns);
        }
        Value[] kept = {
            s.op("aten.cat.default", "tensors", new Value[] {narrow}, "dim", -2),
            s.op("aten.cat.default", "tensors", new Value[] {turns}, "dim", -2)
        };
        pass.cache(kept[0]);
        pass.cache(kept[1]);
        return kept;
    }

    /** Keys and values of all heads. */
    private Value[] expanded(Scope s, Value narrow, Value turns) {
        s.line("kv_nope = self.kv_b_proj(kv_nope).view(key_shape).transpose(1, 2)");
        Value wide = heads(s, s.call(keysUp(), narrow), sizes.plain + sizes.value);
        s.line("k_nope, value_states = torch.split(kv_nope, [nope, value], dim=-1)");
        Value[] parts = split(s, wide, sizes.plain, sizes.value);
        s.line("k_rot = k_rot.expand(-1, k_nope.shape[1], -1, -1)");
        SymExpr[] heads = {SymExpr.of(-1), SymExpr.of(shape.heads()), SymExpr.of(-1), SymExpr.of(-1)};
        Value spread = s.op("aten.expand.default", "self", turns, "size", heads);
        s.line("key_states = kv_nope.new_empty(heads, nope + rope)");
        SymExpr[] all = {Request.BATCH, SymExpr.of(shape.heads()), keys(), SymExpr.of(sizes.plain + sizes.turned)};
        Value keys = s.op("aten.new_empty.default", "self", wide, "size", all);
        s.line("key_states[..., :nope].copy_(k_nope)");
        copied(s, keys, 0, sizes.plain, parts[0]);
        s.line("key_states[..., nope:].copy_(k_rot)");
        copied(s, keys, sizes.plain, Long.MAX_VALUE, spread);
        s.line("return key_states, value_states");
        s.use(keys);
        return new Value[] {keys, parts[1]};
    }

    /** How many keys there are, those of a cache included. */
    private SymExpr keys() {
        CacheStep step = request.step();
        return step == null ? Request.SEQ : step.keys(false).length();
    }

    private static void copied(Scope s, Value into, long from, long to, Value source) {
        Value part = Rotations.slice(s, into, from, to);
        s.op("aten.copy_.default", "self", part, "src", source);
    }

    private static Value[] split(Scope s, Value x, long first, long second) {
        return s.ops(
                "aten.split_with_sizes.default",
                2,
                Scope.arguments("self", x, "split_sizes", new long[] {first, second}, "dim", -1));
    }

    private Value single(Scope s, Value x, long width) {
        SymExpr[] four = {Request.BATCH, SymExpr.of(1), request.length(), SymExpr.of(width)};
        return s.op("aten.view.default", "self", x, "size", four);
    }

    /** {@code x.view(batch, tokens, -1, size).transpose(1, 2)}. */
    private Value heads(Scope s, Value x, long size) {
        SymExpr[] four = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.heads()), SymExpr.of(size)};
        Value rows = s.op("aten.view.default", "self", x, "size", four);
        return s.op("aten.transpose.int", "self", rows, "dim0", 1, "dim1", 2);
    }
}
