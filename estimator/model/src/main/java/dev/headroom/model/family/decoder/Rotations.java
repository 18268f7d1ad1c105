package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** {@code apply_rotary_pos_emb}: turns queries and keys by their positions. */
public final class Rotations {
    private Rotations() {}

    /** Of each head the part that turns, and the part that passes through. */
    private record Cut(Value turned, Value rest) {
        static Cut of(Scope s, Value x, AttentionShape shape) {
            return new Cut(first(s, x, shape), slice(s, x, shape.turned(), Long.MAX_VALUE));
        }
    }

    /** Both, in the lines of the caller. */
    static Value[] write(
            Scope s, SelfAttention.Turn turn, Value queries, Value keys, Pass.Rotation by, AttentionShape shape) {
        if (turn != SelfAttention.Turn.CUT) {
            s.line("queries, keys = apply_rotary_pos_emb(queries, keys, cos, sin)");
            return apply(s, turn, queries, keys, by, shape);
        }
        s.line("query_rot, query_pass = queries[..., :rotary_ndims], queries[..., rotary_ndims:]");
        Cut query = Cut.of(s, queries, shape);
        s.line("key_rot, key_pass = keys[..., :rotary_ndims], keys[..., rotary_ndims:]");
        Cut key = Cut.of(s, keys, shape);
        s.line("query_rot, key_rot = apply_rotary_pos_emb(query_rot, key_rot, cos, sin)");
        Value[] both = apply(s, SelfAttention.Turn.WHOLE, query.turned(), key.turned(), by, shape);
        s.line("queries = torch.cat((query_rot, query_pass), dim=-1)");
        Value q = joined(s, both[0], query.rest());
        s.line("keys = torch.cat((key_rot, key_pass), dim=-1)");
        return new Value[] {q, joined(s, both[1], key.rest())};
    }

    /** Both, in one line of the caller, which it has said. */
    static Value[] apply(
            Scope s, SelfAttention.Turn turn, Value queries, Value keys, Pass.Rotation by, AttentionShape shape) {
        return s.function("rotary", () -> {
            if (turn == SelfAttention.Turn.PAIRS) {
                return pairs(s, queries, keys, by, shape.turned());
            }
            if (turn == SelfAttention.Turn.WIDE_PAIRS) {
                return widePairs(s, queries, keys, by);
            }
            s.line("cos = cos.unsqueeze(1)");
            Value cos = s.op("aten.unsqueeze.default", "self", by.cos(), "dim", 1);
            s.line("sin = sin.unsqueeze(1)");
            Value sin = s.op("aten.unsqueeze.default", "self", by.sin(), "dim", 1);
            if (turn == SelfAttention.Turn.PART_FIRST || turn == SelfAttention.Turn.PART_TOGETHER) {
                return turnedFirst(s, turn, queries, keys, cos, sin, shape);
            }
            if (turn == SelfAttention.Turn.REPEATED_PAIRS) {
                return repeatedPairs(s, queries, keys, cos, sin, shape);
            }
            if (turn == SelfAttention.Turn.PART) {
                return parts(s, queries, keys, cos, sin, shape);
            }
            if (turn == SelfAttention.Turn.HALVES) {
                s.line("turned_queries = _apply_rotary_emb(queries, cos, sin)");
                Value q = s.function("_apply_rotary_emb", () -> halves(s, queries, cos, sin));
                s.line("turned_keys = _apply_rotary_emb(keys, cos, sin)");
                return new Value[] {q, s.function("_apply_rotary_emb", () -> halves(s, keys, cos, sin))};
            }
            s.line("turned_queries = queries * cos + rotate_half(queries) * sin");
            Value q = turned(s, turn, queries, cos, sin, shape.turned());
            s.line("turned_keys = keys * cos + rotate_half(keys) * sin");
            Value k = turned(s, turn, keys, cos, sin, shape.turned());
            if (turn == SelfAttention.Turn.WIDE || turn == SelfAttention.Turn.COPIED) {
                s.line("return turned_queries.to(q_type), turned_keys.to(k_type)");
                q = s.op("aten.to.dtype", "self", q, "dtype", new Argument.TypeOf(queries.name()));
                k = s.op("aten.to.dtype", "self", k, "dtype", new Argument.TypeOf(keys.name()));
            }
            return new Value[] {q, k};
        });
    }

    private static Value halves(Scope s, Value x, Value cos, Value sin) {
        s.line("first_half, second_half = torch.chunk(x, 2, dim=-1)");
        Value[] half = s.ops("aten.chunk.default", 2, Scope.arguments("self", x, "chunks", 2, "dim", -1));
        s.line("first = first_half * cos - second_half * sin");
        Value first = combined(s, "aten.sub.Tensor", half[0], cos, half[1], sin);
        s.line("second = second_half * cos + first_half * sin");
        Value second = combined(s, "aten.add.Tensor", half[1], cos, half[0], sin);
        s.line("return torch.cat((first, second), dim=-1)");
        return joined(s, first, second);
    }

    /** {@code apply_rotary_pos_emb_interleave}. */
    private static Value[] pairs(Scope s, Value queries, Value keys, Pass.Rotation by, long size) {
        s.line("cos = cos[..., : cos.shape[-1] // 2].unsqueeze(1)");
        Value cos = s.op("aten.unsqueeze.default", "self", slice(s, by.cos(), 0, size / 2), "dim", 1);
        s.line("sin = sin[..., : sin.shape[-1] // 2].unsqueeze(1)");
        Value sin = s.op("aten.unsqueeze.default", "self", slice(s, by.sin(), 0, size / 2), "dim", 1);
        s.line("q1, q2 = queries[..., 0::2], queries[..., 1::2]");
        Value[] q = {every(s, queries, 0), every(s, queries, 1)};
        s.line("k1, k2 = keys[..., 0::2], keys[..., 1::2]");
        Value[] k = {every(s, keys, 0), every(s, keys, 1)};
        s.line("turned_queries = torch.cat([q1 * cos - q2 * sin, q2 * cos + q1 * sin], dim=-1)");
        Value turnedQueries = pair(s, q, cos, sin);
        s.line("turned_keys = torch.cat([k1 * cos - k2 * sin, k2 * cos + k1 * sin], dim=-1)");
        return new Value[] {turnedQueries, pair(s, k, cos, sin)};
    }

    private static Value pair(Scope s, Value[] x, Value cos, Value sin) {
        Value first = combined(s, "aten.sub.Tensor", x[0], cos, x[1], sin);
        return joined(s, first, combined(s, "aten.add.Tensor", x[1], cos, x[0], sin));
    }

    private static Value every(Scope s, Value x, long first) {
        return s.op("aten.slice.Tensor", "self", x, "dim", -1, "start", first, "end", Long.MAX_VALUE, "step", 2);
    }

    private static Value combined(Scope s, String operator, Value a, Value cos, Value b, Value sin) {
        Value scaled = s.op("aten.mul.Tensor", "self", a, "other", cos);
        Value other = s.op("aten.mul.Tensor", "self", b, "other", sin);
        return s.op(operator, "self", scaled, "other", other);
    }

    private static Value[] parts(Scope s, Value queries, Value keys, Value cos, Value sin, AttentionShape shape) {
        s.line("q_rot, q_pass = queries[..., :rotary_dim], queries[..., rotary_dim:]");
        Cut query = Cut.of(s, queries, shape);
        s.line("k_rot, k_pass = keys[..., :rotary_dim], keys[..., rotary_dim:]");
        Cut key = Cut.of(s, keys, shape);
        s.line("turned_queries = torch.cat([q_rot * cos + rotate_half(q_rot) * sin, q_pass], dim=-1)");
        Value q = joined(s, turned(s, query.turned(), cos, sin, shape.turned()), query.rest());
        s.line("turned_keys = torch.cat([k_rot * cos + rotate_half(k_rot) * sin, k_pass], dim=-1)");
        return new Value[] {q, joined(s, turned(s, key.turned(), cos, sin, shape.turned()), key.rest())};
    }

    private static Value[] turnedFirst(
            Scope s, SelfAttention.Turn turn, Value queries, Value keys, Value cos, Value sin, AttentionShape shape) {
        s.line("q_rot, q_pass = q[..., :rotary_dim], q[..., rotary_dim:]");
        Cut query = Cut.of(s, queries, shape);
        s.line("k_rot, k_pass = k[..., :rotary_dim], k[..., rotary_dim:]");
        Cut key = Cut.of(s, keys, shape);
        s.line("q_embed = (q_rot * cos) + (rotate_half(q_rot) * sin)");
        Value q = turned(s, query.turned(), cos, sin, shape.turned());
        s.line("k_embed = (k_rot * cos) + (rotate_half(k_rot) * sin)");
        Value k = turned(s, key.turned(), cos, sin, shape.turned());
        if (turn == SelfAttention.Turn.PART_TOGETHER) {
            s.line("return torch.cat((q_embed, q_pass), dim=-1), torch.cat((k_embed, k_pass), dim=-1)");
            Value whole = joined(s, q, query.rest());
            return new Value[] {whole, joined(s, k, key.rest())};
        }
        return joinedInTurn(s, q, query, k, key);
    }

    /** models/glm4/modeling_glm4.py. */
    private static Value[] repeatedPairs(
            Scope s, Value queries, Value keys, Value cos, Value sin, AttentionShape shape) {
        s.line("cos = cos[..., : cos.shape[-1] // 2].repeat_interleave(2, dim=-1)");
        Value c = twice(s, slice(s, cos, 0, shape.turned() / 2));
        s.line("sin = sin[..., : sin.shape[-1] // 2].repeat_interleave(2, dim=-1)");
        Value n = twice(s, slice(s, sin, 0, shape.turned() / 2));
        s.line("q_rot, q_pass = q[..., :rotary_dim], q[..., rotary_dim:]");
        Cut query = Cut.of(s, queries, shape);
        s.line("k_rot, k_pass = k[..., :rotary_dim], k[..., rotary_dim:]");
        Cut key = Cut.of(s, keys, shape);
        s.line("q_embed = (q_rot * cos) + (rotate_half(q_rot) * sin)");
        Value q = turnedPairs(s, query.turned(), c, n);
        s.line("k_embed = (k_rot * cos) + (rotate_half(k_rot) * sin)");
        Value k = turnedPairs(s, key.turned(), c, n);
        return joinedInTurn(s, q, query, k, key);
    }

    private static Value[] joinedInTurn(Scope s, Value turnedQuery, Cut query, Value turnedKey, Cut key) {
        s.line("q_embed = torch.cat([q_embed, q_pass], dim=-1)");
        Value q = joined(s, turnedQuery, query.rest());
        s.line("k_embed = torch.cat([k_embed, k_pass], dim=-1)");
        return new Value[] {q, joined(s, turnedKey, key.rest())};
    }

    private static Value twice(Scope s, Value x) {
        return s.op("aten.repeat_interleave.self_int", "self", x, "repeats", 2, "dim", -1);
    }

    /** models/cohere/modeling_cohere.py. */
    private static Value[] widePairs(Scope s, Value queries, Value keys, Pass.Rotation by) {
        s.line("q = q.float()");
        Value wideQueries = wide(s, queries);
        s.line("k = k.float()");
        Value wideKeys = wide(s, keys);
        s.line("cos = cos.unsqueeze(1)");
        Value cos = s.op("aten.unsqueeze.default", "self", by.cos(), "dim", 1);
        s.line("sin = sin.unsqueeze(1)");
        Value sin = s.op("aten.unsqueeze.default", "self", by.sin(), "dim", 1);
        s.line("q_embed = (q * cos) + (rotate_half(q) * sin)");
        Value q = turnedPairs(s, wideQueries, cos, sin);
        s.line("k_embed = (k * cos) + (rotate_half(k) * sin)");
        Value k = turnedPairs(s, wideKeys, cos, sin);
        s.line("return q_embed.to(dtype=dtype), k_embed.to(dtype=dtype)");
        Argument like = new Argument.TypeOf(queries.name());
        q = s.op("aten.to.dtype", "self", q, "dtype", like);
        return new Value[] {q, s.op("aten.to.dtype", "self", k, "dtype", like)};
    }

    private static Value turnedPairs(Scope s, Value x, Value cos, Value sin) {
        Value scaled = s.op("aten.mul.Tensor", "self", x, "other", cos);
        Value turned = s.function("rotate_half", () -> {
            s.line("x1 = x[..., 0::2]");
            Value even = every(s, x, 0);
            s.line("x2 = x[..., 1::2]");
            Value odd = every(s, x, 1);
            s.line("return torch.stack((-x2, x1), dim=-1).flatten(-2)");
            Value less = s.op("aten.neg.default", "self", odd);
            Value pairs = s.op("aten.stack.default", "tensors", new Value[] {less, even}, "dim", -1);
            return s.op("aten.flatten.using_ints", "self", pairs, "start_dim", -2);
        });
        Value other = s.op("aten.mul.Tensor", "self", turned, "other", sin);
        return s.op("aten.add.Tensor", "self", scaled, "other", other);
    }

    /** A slice that takes all is the tensor itself (torch/csrc, python_variable_indexing.cpp). */
    private static Value first(Scope s, Value x, AttentionShape shape) {
        return shape.turned() == shape.size() ? s.op("aten.alias.default", "self", x) : slice(s, x, 0, shape.turned());
    }

    private static Value joined(Scope s, Value a, Value b) {
        return s.op("aten.cat.default", "tensors", new Value[] {a, b}, "dim", -1);
    }

    private static Value turned(Scope s, SelfAttention.Turn turn, Value x, Value cos, Value sin, long size) {
        if (turn != SelfAttention.Turn.COPIED) {
            return turned(s, x, cos, sin, size);
        }
        Value scaled = s.op("aten.mul.Tensor", "self", wide(s, x), "other", cos);
        Value other = s.op("aten.mul.Tensor", "self", rotated(s, wide(s, x), size), "other", sin);
        return s.op("aten.add.Tensor", "self", scaled, "other", other);
    }

    private static Value wide(Scope s, Value x) {
        return s.op("aten.to.dtype", "self", x, "dtype", DType.FLOAT32);
    }

    /** {@code rotate_half}. */
    private static Value rotated(Scope s, Value x, long size) {
        Value first = slice(s, x, 0, size / 2);
        Value second = slice(s, x, size / 2, Long.MAX_VALUE);
        return joined(s, s.op("aten.neg.default", "self", second), first);
    }

    /** {@code x * cos + rotate_half(x) * sin}, in the line of the caller. */
    public static Value turned(Scope s, Value x, Value cos, Value sin, long size) {
        Value scaled = s.op("aten.mul.Tensor", "self", x, "other", cos);
        Value other = s.op("aten.mul.Tensor", "self", rotated(s, x, size), "other", sin);
        return s.op("aten.add.Tensor", "self", scaled, "other", other);
    }

    /** {@code x[..., from:to]}. */
    static Value slice(Scope s, Value x, long from, long to) {
        return s.op("aten.slice.Tensor", "self", x, "dim", -1, "start", from, "end", to);
    }
}
