package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads symbolic integers as torch.export writes them: SymPy's {@code srepr} such as
 * {@code Mul(Integer(512), Symbol('s72', positive=True, integer=True))}, or the infix form of older versions such as
 * {@code 2*s0 + s1//2}.
 *
 * <p>Source: torch/_export/serde/serialize.py, {@code _print_sympy}.
 */
public final class SymExprParser {
    private static final int LONGEST = 100_000;
    private static final int DEEPEST = 200;
    private static final int MOST_DIGITS = 40;

    private final String text;
    private int at;
    private int depth;

    private SymExprParser(String text) {
        this.text = text;
    }

    /**
     * Parses one expression.
     *
     * @throws UserInputException if it is malformed, too long or too deep
     */
    public static SymExpr parse(String text) {
        if (text.length() > LONGEST) {
            throw new UserInputException("expression of " + text.length() + " characters is too long");
        }
        SymExprParser parser = new SymExprParser(text);
        SymExpr expression = parser.sum();
        if (parser.peek() != 0) {
            throw parser.malformed();
        }
        return expression;
    }

    private SymExpr sum() {
        if (++depth > DEEPEST) {
            throw new UserInputException("expression is nested too deeply: " + excerpt());
        }
        List<SymExpr> terms = new ArrayList<>();
        terms.add(product());
        while (peek() == '+' || peek() == '-') {
            boolean minus = next() == '-';
            SymExpr term = product();
            terms.add(minus ? Expression.call("Mul", List.of(SymExpr.of(-1), term)) : term);
        }
        depth--;
        return terms.size() == 1 ? terms.get(0) : Expression.call("Add", terms);
    }

    private SymExpr product() {
        SymExpr left = factor();
        while (true) {
            if (accept("//")) {
                left = Expression.call("FloorDiv", List.of(left, factor()));
            } else if (accept("/")) {
                left = Expression.call("Divide", List.of(left, factor()));
            } else if (accept("%")) {
                left = Expression.call("PythonMod", List.of(left, factor()));
            } else if (peek() == '*') {
                next();
                left = Expression.call("Mul", List.of(left, factor()));
            } else {
                return left;
            }
        }
    }

    private SymExpr factor() {
        if (++depth > DEEPEST) {
            throw new UserInputException("expression is nested too deeply: " + excerpt());
        }
        SymExpr result;
        if (accept("-")) {
            result = negated(factor());
        } else if (accept("+")) {
            result = factor();
        } else {
            result = primary();
            if (accept("**")) {
                result = Expression.call("Pow", List.of(result, factor()));
            }
        }
        depth--;
        return result;
    }

    private static SymExpr negated(SymExpr value) {
        if (value instanceof SymExpr.Constant constant && constant.value() != Long.MIN_VALUE) {
            return SymExpr.of(-constant.value());
        }
        if (value instanceof Expression.Literal literal) {
            return literal(literal.quantity().negated(), "-" + literal.text());
        }
        return Expression.call("Mul", List.of(SymExpr.of(-1), value));
    }

    private SymExpr primary() {
        char c = peek();
        if (c == '(') {
            next();
            SymExpr inner = sum();
            expect(')');
            return inner;
        }
        if (c >= '0' && c <= '9' || c == '.') {
            return number();
        }
        if (Character.isJavaIdentifierStart(c)) {
            return named(identifier());
        }
        throw malformed();
    }

    private SymExpr named(String name) {
        if (peek() != '(') {
            return switch (name) {
                case "oo", "int_oo" -> literal(new Quantity.Real(Double.POSITIVE_INFINITY), name);
                case "true", "True" -> SymExpr.of(1);
                case "false", "False" -> SymExpr.of(0);
                default -> new SymExpr.Symbol(name);
            };
        }
        next();
        if (name.equals("Symbol") || name.equals("Dummy")) {
            String symbol = quoted();
            skipKeywords();
            return new SymExpr.Symbol(symbol);
        }
        if (name.equals("Float")) {
            String digits = peek() == '\'' ? quoted() : identifierOrNumber();
            skipKeywords();
            return literal(new Quantity.Real(parseDouble(digits)), digits);
        }
        List<SymExpr> arguments = new ArrayList<>();
        while (peek() != ')') {
            if (!arguments.isEmpty()) {
                expect(',');
            }
            if (keyword()) {
                skipKeywords();
                return finish(name, arguments);
            }
            arguments.add(sum());
        }
        next();
        return finish(name, arguments);
    }

    private static SymExpr finish(String name, List<SymExpr> arguments) {
        if (name.equals("Integer") && arguments.size() == 1) {
            return arguments.get(0);
        }
        return Expression.call(name, arguments);
    }

    /** Whether {@code name=} follows. */
    private boolean keyword() {
        int start = at;
        boolean found = Character.isJavaIdentifierStart(peek());
        if (found) {
            identifier();
            found = peek() == '=';
        }
        at = start;
        return found;
    }

    /** Assumptions such as {@code positive=True} up to and with the closing parenthesis. */
    private void skipKeywords() {
        while (true) {
            char c = next();
            if (c == ')') {
                return;
            }
            if (c == 0 || c == '(') {
                throw malformed();
            }
        }
    }

    private String quoted() {
        char quote = next();
        int end = quote == '\'' || quote == '"' ? text.indexOf(quote, at) : -1;
        if (end <= at) {
            throw malformed();
        }
        String inner = text.substring(at, end);
        at = end + 1;
        return inner;
    }

    private String identifierOrNumber() {
        peek();
        int start = at;
        while (at < text.length() && ",)".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }

    /** The last part of a dotted name: SymPy may print a function's module. */
    private String identifier() {
        peek();
        int start = at;
        while (at < text.length() && (Character.isJavaIdentifierPart(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        String name = text.substring(start, at);
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private SymExpr number() {
        int start = at;
        while (at < text.length() && isNumberPart(start)) {
            at++;
        }
        String digits = text.substring(start, at);
        if (digits.length() > MOST_DIGITS) {
            throw new UserInputException("a value that does not fit 64 bits: " + excerpt());
        }
        if (digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            BigInteger value = new BigInteger(digits);
            return value.bitLength() <= 63
                    ? SymExpr.of(value.longValue())
                    : literal(Quantity.ratio(value, BigInteger.ONE), digits);
        }
        return literal(new Quantity.Real(parseDouble(digits)), digits);
    }

    private boolean isNumberPart(int start) {
        char c = text.charAt(at);
        return c >= '0' && c <= '9'
                || c == '.'
                || c == 'e'
                || (c == '+' || c == '-') && at > start && text.charAt(at - 1) == 'e';
    }

    private double parseDouble(String digits) {
        try {
            return new BigDecimal(digits.strip()).doubleValue();
        } catch (NumberFormatException e) {
            throw malformed();
        }
    }

    private static SymExpr literal(Quantity quantity, String text) {
        return new Expression.Literal(quantity, text);
    }

    private char peek() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char next() {
        char c = peek();
        if (c != 0) {
            at++;
        }
        return c;
    }

    /** Takes the operator; {@code *} and {@code /} do not match the first half of {@code **} and {@code //}. */
    private boolean accept(String operator) {
        peek();
        if (!text.startsWith(operator, at)) {
            return false;
        }
        at += operator.length();
        return true;
    }

    private void expect(char c) {
        if (next() != c) {
            throw malformed();
        }
    }

    private UserInputException malformed() {
        return new UserInputException("cannot read the expression \"" + excerpt() + "\" at character " + (at + 1));
    }

    private String excerpt() {
        return text.length() <= 120 ? text : text.substring(0, 120) + "...";
    }
}
