package dev.headroom.model.graph;

import java.util.List;

/**
 * A step in which a model that was loaded gets a tensor more, or another one in its place.
 *
 * @param tensor its qualified name
 * @param type that it has after the step
 * @param of qualified names of the tensors that it is made of
 */
public record Addition(Kind kind, String tensor, DType type, List<String> of) {
    public Addition {
        of = List.copyOf(of);
    }

    /** How it is made. */
    public enum Kind {
        /** It comes from host memory. */
        NEW,
        /** A copy of another one. */
        COPY,
        /** The norms of the rows of a weight with its adapters, {@code weight, A, B}. */
        ROW_NORMS,
        /** The same of a weight that is kept transposed. */
        COLUMN_NORMS,
        /** It is converted, then the one before is gone. */
        CONVERSION
    }
}
