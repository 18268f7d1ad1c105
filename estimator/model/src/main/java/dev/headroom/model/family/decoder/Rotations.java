package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code apply_rotary_pos_emb}: turns queries and keys by their positions. */
final class Rotations {
    private Rotations() {}

    /** Both, in one line of the caller. */
    static Value[] apply(Scope s, Value queries, Value keys, Pass.Rotation by, long size) {
        s.line("queries, keys = turned(queries, keys, cos, sin)");
        Value cos = s.op("aten.unsqueeze.default", "self", by.cos(), "dim", 1);
        Value sin = s.op("aten.unsqueeze.default", "self", by.sin(), "dim", 1);
        return new Value[] {turned(s, queries, cos, sin, size), turned(s, keys, cos, sin, size)};
    }

    private static Value turned(Scope s, Value x, Value cos, Value sin, long size) {
        Value scaled = s.op("aten.mul.Tensor", "self", x, "other", cos);
        Value first = slice(s, x, 0, size / 2);
        Value second = slice(s, x, size / 2, Long.MAX_VALUE);
        Value negated = s.op("aten.neg.default", "self", second);
        Value half = s.op("aten.cat.default", "tensors", new Value[] {negated, first}, "dim", -1);
        Value other = s.op("aten.mul.Tensor", "self", half, "other", sin);
        return s.op("aten.add.Tensor", "self", scaled, "other", other);
    }

    static Value slice(Scope s, Value x, long from, long to) {
        return s.op("aten.slice.Tensor", "self", x, "dim", -1, "start", from, "end", to);
    }
}
