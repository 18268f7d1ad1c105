package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A parsed expression: a function of further expressions. */
final class Expression implements SymExpr {
    private static final int DEEPEST = 400;

    private final String function;
    private final List<SymExpr> arguments;
    private final int depth;
    private final boolean sum;
    /** A sum or product of integers: no fractions, so plain checked arithmetic gives the same. */
    private final boolean polynomial;

    private Expression(String function, List<SymExpr> arguments) {
        this.function = function;
        this.arguments = List.copyOf(arguments);
        this.sum = function.equals("Add");
        int deepest = 0;
        boolean integers = sum || function.equals("Mul");
        for (SymExpr argument : arguments) {
            if (argument instanceof Expression e) {
                deepest = Math.max(deepest, e.depth);
                integers &= e.polynomial;
            }
            integers &= !(argument instanceof Literal);
        }
        this.depth = deepest + 1;
        this.polynomial = integers;
        if (depth > DEEPEST) {
            throw new UserInputException("an expression is nested more than " + DEEPEST + " deep");
        }
    }

    /** A number that is no 64-bit integer. */
    record Literal(Quantity quantity, String text) implements SymExpr {
        @Override
        public long evaluate(Map<String, Long> symbols) {
            return quantity.asLong();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** An unknown function is no error until its value is needed. */
    static SymExpr call(String function, List<SymExpr> arguments) {
        SymFunction.isKnown(function, arguments.size());
        return new Expression(function, arguments);
    }

    @Override
    public long evaluate(Map<String, Long> symbols) {
        if (!polynomial) {
            return quantity(this, symbols).asLong();
        }
        long result = sum ? 0 : 1;
        try {
            for (SymExpr argument : arguments) {
                long value = argument.evaluate(symbols);
                result = sum ? Math.addExact(result, value) : Math.multiplyExact(result, value);
            }
        } catch (ArithmeticException overflow) {
            throw new UserInputException("a value that does not fit 64 bits", overflow);
        }
        return result;
    }

    private static Quantity quantity(SymExpr expression, Map<String, Long> symbols) {
        if (expression instanceof Literal literal) {
            return literal.quantity;
        }
        if (!(expression instanceof Expression call) || call.polynomial) {
            return Quantity.of(expression.evaluate(symbols));
        }
        List<Quantity> values = new ArrayList<>(call.arguments.size());
        for (SymExpr argument : call.arguments) {
            values.add(quantity(argument, symbols));
        }
        return SymFunction.apply(call.function, values);
    }

    @Override
    public void forEachSymbol(Consumer<String> consumer) {
        arguments.forEach(a -> a.forEachSymbol(consumer));
    }

    @Override
    public SymExpr renamed(UnaryOperator<String> names) {
        return new Expression(
                function, arguments.stream().map(a -> a.renamed(names)).toList());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Expression e && e.function.equals(function) && e.arguments.equals(arguments);
    }

    @Override
    public int hashCode() {
        return 31 * function.hashCode() + arguments.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        String separator = sum ? " + " : function.equals("Mul") ? "*" : ", ";
        boolean infix = sum || function.equals("Mul");
        text.append(infix ? "" : function).append(infix && !sum ? "" : "(");
        for (int i = 0; i < arguments.size(); i++) {
            text.append(i == 0 ? "" : separator).append(arguments.get(i));
        }
        return text.append(infix && !sum ? "" : ")").toString();
    }
}
