package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** Queries and keys that are turned as in Llama, for attention that is written in a way of its own. */
public final class RotatedHeads {
    private RotatedHeads() {}

    /** @return queries, keys */
    public static Value[] write(Scope s, Value queries, Value keys, Pass pass, AttentionShape shape) {
        return Rotations.write(s, SelfAttention.Turn.WHOLE, queries, keys, pass.rotation(shape.kind()), shape);
    }
}
