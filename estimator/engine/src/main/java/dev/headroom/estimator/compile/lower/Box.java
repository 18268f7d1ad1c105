package dev.headroom.estimator.compile.lower;

import dev.headroom.estimator.compile.trace.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a value is: in a buffer, or still an expression over buffers that readers take in ({@code StorageBox}). */
final class Box {
    final Value value;

    /** Buffers that the expression reads, and whether only at its own place. */
    final Map<Buffer, Boolean> reads = new LinkedHashMap<>();

    /** Operations of the expression. */
    int operations;

    @Nullable
    Buffer buffer;

    Box(Value value) {
        this.value = value;
    }

    /** Takes in what another value is made of. */
    void inline(Box other, boolean straight) {
        Buffer there = other.buffer;
        if (there != null) {
            reads.merge(there, straight, Boolean::logicalAnd);
        } else {
            other.reads.forEach((b, s) -> reads.merge(b, s && straight, Boolean::logicalAnd));
            operations += other.operations;
        }
    }
}
