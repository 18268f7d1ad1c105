package dev.headroom.estimator.compile.lower;

import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.TensorMeta;

/**
 * Memory that a graph is given or makes.
 *
 * @param given whether it is an argument
 * @param donated whether an argument may be written over once nothing reads it any more
 */
record Buffer(String name, TensorMeta meta, long bytes, boolean given, boolean donated) {
    /** Starts the names of what forward made for backward. */
    static final String KEPT = "saved_";

    /** Whether an argument is let go of once nothing reads it: what forward made, not what it was given. */
    boolean freeable() {
        return given && name.startsWith(KEPT);
    }

    static Buffer made(String name, Value of, TensorMeta meta) {
        return new Buffer(name, meta, of.bytes(), false, true);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Buffer b && b.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
