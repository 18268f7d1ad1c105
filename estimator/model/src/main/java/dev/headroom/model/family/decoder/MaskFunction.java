package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
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

    /** {@code and_masks}. */
    static MaskFunction both(List<MaskFunction> masks) {
        return (s, at) -> s.function("and_mask", () -> {
            s.line("result = q_idx.new_ones((), dtype=torch.bool)");
            Value result = s.op("aten.new_ones.default", "self", at.query, "size", new long[0], "dtype", DType.BOOL);
            for (MaskFunction mask : masks) {
                s.line("result = result & mask(batch_idx, head_idx, q_idx, kv_idx)");
                Value more = s.function("inner_mask", () -> {
                    s.line("return mask");
                    return mask.write(s, at);
                });
                result = s.op("aten.__and__.Tensor", "self", result, "other", more);
            }
            return result;
        });
    }
}
