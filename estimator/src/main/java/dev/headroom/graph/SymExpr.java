package dev.headroom.graph;

import java.util.Map;

/** An integer of a graph: a constant or an expression over symbols such as the batch size. */
public interface SymExpr {
    /**
     * The value under the given symbols.
     *
     * @throws GraphException if a symbol is unbound or the value does not fit 64 bits
     */
    long evaluate(Map<String, Long> symbols);

    /** A constant. */
    static SymExpr of(long value) {
        return new Constant(value);
    }

    /** A known integer. */
    record Constant(long value) implements SymExpr {
        @Override
        public long evaluate(Map<String, Long> symbols) {
            return value;
        }

        @Override
        public String toString() {
            return Long.toString(value);
        }
    }
}
