package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** An integer of a graph: a constant or an expression over symbols such as the batch size. */
public interface SymExpr {
    /**
     * The value under the given symbols.
     *
     * @throws UserInputException if a symbol is unbound or the value does not fit 64 bits
     */
    long evaluate(Map<String, Long> symbols);

    /** Names every symbol that the value depends on, once an occurrence. */
    default void forEachSymbol(Consumer<String> consumer) {}

    /** The same over symbols of other names. */
    default SymExpr renamed(UnaryOperator<String> names) {
        return this;
    }

    /** A constant. */
    static SymExpr of(long value) {
        return new Constant(value);
    }

    /** A symbol. */
    static SymExpr symbol(String name) {
        return new Symbol(name);
    }

    /**
     * A function of other integers.
     *
     * @param function under SymPy's name, such as {@code Add}, {@code Mul}, {@code FloorDiv}, {@code Max}, {@code Min}
     */
    static SymExpr call(String function, SymExpr... arguments) {
        return Expression.call(function, List.of(arguments));
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

    /** A free symbol such as {@code s77}. */
    record Symbol(String name) implements SymExpr {
        @Override
        public long evaluate(Map<String, Long> symbols) {
            Long value = symbols.get(name);
            if (value == null) {
                throw new UserInputException("the value of symbol " + name + " is not known");
            }
            return value;
        }

        @Override
        public void forEachSymbol(Consumer<String> consumer) {
            consumer.accept(name);
        }

        @Override
        public SymExpr renamed(UnaryOperator<String> names) {
            return new Symbol(names.apply(name));
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
