package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.SymExpr;
import java.util.Map;

/** A symbolic integer that an argument names before the graph's table of integers is read. */
record NamedInt(String name) implements SymExpr {
    @Override
    public long evaluate(Map<String, Long> symbols) {
        throw new UserInputException("the integer " + name + " has no value in the graph");
    }

    /** What the expression stands for once the table is known. */
    static SymExpr resolve(SymExpr value, Map<String, SymExpr> ints) {
        if (!(value instanceof NamedInt named)) {
            return value;
        }
        SymExpr known = ints.get(named.name);
        if (known == null) {
            throw new UserInputException("the integer " + named.name + " is used but not defined");
        }
        return known;
    }
}
