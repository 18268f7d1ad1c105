package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.List;

/** Which keys a query sees, as a function of the indices (transformers, masking_utils.py). */
@FunctionalInterface
interface MaskFunction {
    /** Indices of sequences, queries and keys, shaped to be broadcast. */
    record Indices(Value batch, Value query, Value key) {}

    Value write(Scope s, Indices at);

    /** Keys up to the query's own. */
    static MaskFunction causal() {
        return (s, at) -> s.op("aten.le.Tensor", "self", at.key, "other", at.query);
    }

    /** {@code bidirectional_mask_function}: all keys. */
    static MaskFunction all() {
        return (s, at) -> s.op("aten.ge.Scalar", "self", at.query, "other", 0);
    }

    /** Keys that are no further back than a window. */
    static MaskFunction window(long size) {
        return (s, at) -> {
            Value first = s.op("aten.sub.Tensor", "self", at.query, "other", size);
            return s.op("aten.gt.Tensor", "self", at.key, "other", first);
        };
    }

    /**
     * Keys up to the query's own in the chunk that the query is in ({@code chunked_causal_mask_function}).
     *
     * @param padding how many tokens of each sequence come before its first chunk
     */
    static MaskFunction chunk(Value padding, long size) {
        MaskFunction overlay = (s, at) -> {
            Value ofKey = chunkOf(s, padding, at.batch, at.key, size);
            Value ofQuery = chunkOf(s, padding, at.batch, at.query, size);
            return s.op("aten.eq.Tensor", "self", ofKey, "other", ofQuery);
        };
        return both(List.of(overlay, causal()));
    }

    private static Value chunkOf(Scope s, Value padding, Value batch, Value tokens, long size) {
        Value first = s.op("aten.index.Tensor", "self", padding, "indices", new Value[] {batch});
        Value moved = s.op("aten.sub.Tensor", "self", tokens, "other", first);
        return s.op("aten.floor_divide.default", "self", moved, "other", size);
    }

    /** Keys that are no further away than so many, in either direction. */
    static MaskFunction around(long size) {
        return (s, at) -> {
            Value distance = s.op("aten.sub.Tensor", "self", at.query, "other", at.key);
            Value length = s.op("aten.abs.default", "self", distance);
            return s.op("aten.le.Scalar", "self", length, "other", size);
        };
    }

    /** Keys that are no padding. */
    static MaskFunction padding(Value mask) {
        return (s, at) -> picked(s, mask, at.batch, at.key);
    }

    /** Keys of the query's own sequence among those that are packed into a row. */
    static MaskFunction packed(Value sequences) {
        return (s, at) -> {
            Value ofQuery = picked(s, sequences, at.batch, at.query);
            Value ofKey = picked(s, sequences, at.batch, at.key);
            return s.op("aten.eq.Tensor", "self", ofQuery, "other", ofKey);
        };
    }

    private static Value picked(Scope s, Value from, Value row, Value column) {
        return s.op("aten.index.Tensor", "self", from, "indices", new Value[] {row, column});
    }

    /** {@code blockwise_overlay}: keys of the query's own block, which some tokens do not belong to. */
    static MaskFunction block(Value blocks) {
        return (s, at) -> s.function("inner_mask", () -> {
            s.line("q_group = block_sequence_ids[batch_idx, q_idx]");
            Value ofQuery = picked(s, blocks, at.batch, at.query);
            s.line("kv_group = block_sequence_ids[batch_idx, kv_idx]");
            Value ofKey = picked(s, blocks, at.batch, at.key);
            s.line("return (q_group == kv_group) & (q_group >= 0)");
            Value same = s.op("aten.eq.Tensor", "self", ofQuery, "other", ofKey);
            Value any = s.op("aten.ge.Scalar", "self", ofQuery, "other", 0);
            return s.op("aten.__and__.Tensor", "self", same, "other", any);
        });
    }

    /** {@code and_masks}. */
    static MaskFunction both(List<MaskFunction> masks) {
        return joined("and", "ones", masks, false);
    }

    /** {@code or_masks}. */
    static MaskFunction either(List<MaskFunction> masks) {
        return joined("or", "zeros", masks, false);
    }

    /** The same under {@code vmap}, where what begins as a scalar is one for each query. */
    static MaskFunction mapped(boolean all, List<MaskFunction> masks) {
        return joined(all ? "and" : "or", all ? "ones" : "zeros", masks, true);
    }

    private static MaskFunction joined(String word, String first, List<MaskFunction> masks, boolean mapped) {
        return (s, at) -> s.function(word + "_mask", () -> {
            s.line("result = q_idx.new_" + first + "((), dtype=torch.bool)");
            SymExpr[] queries = {SymExpr.of(1), SymExpr.of(1), Request.SEQ, SymExpr.of(1)};
            Object size = mapped ? queries : new long[0];
            Value result = s.op("aten.new_" + first + ".default", "self", at.query, "size", size, "dtype", DType.BOOL);
            for (MaskFunction mask : masks) {
                s.line("result = result " + word + " mask(batch_idx, head_idx, q_idx, kv_idx)");
                Value more = s.function("inner_mask", () -> {
                    s.line("return mask");
                    return mask.write(s, at);
                });
                result = s.op("aten.__" + word + "__.Tensor", "self", result, "other", more);
            }
            return result;
        });
    }
}
