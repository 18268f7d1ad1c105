package dev.headroom.graph;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.IntPredicate;

/**
 * Functions of symbolic expressions under the names that SymPy prints.
 *
 * <p>Source: torch/utils/_sympy/functions.py of PyTorch 2.14.1 and SymPy's core.
 */
final class SymFunction {
    /** Applies a function; the arguments are already numbers. */
    @FunctionalInterface
    interface Body {
        Quantity apply(List<Quantity> arguments);
    }

    private record Entry(int fewest, int most, Body body) {}

    private static final Map<String, Entry> KNOWN = new HashMap<>();

    static {
        fold("Add", Quantity.ZERO, Quantity::plus);
        fold("Mul", Quantity.ONE, Quantity::times);
        pick("Max", 1);
        pick("Min", -1);
        for (String power : List.of("Pow", "PowByNatural", "FloatPow")) {
            define(power, 2, a -> a.get(0).power(a.get(1)));
        }
        for (String division : List.of("FloorDiv", "CleanDiv")) {
            define(division, 2, a -> a.get(0).over(a.get(1)).rounded(RoundingMode.FLOOR));
        }
        define("CeilDiv", 2, a -> a.get(0).over(a.get(1)).rounded(RoundingMode.CEILING));
        for (String division : List.of("IntTrueDiv", "FloatTrueDiv")) {
            define(division, 2, a -> trueDivision(a.get(0), a.get(1)));
        }
        define("Divide", 2, a -> a.get(0).over(a.get(1)));
        define("Rational", 2, a -> a.get(0).over(a.get(1)));
        for (String modulo : List.of("Mod", "PythonMod")) {
            define(modulo, 2, a -> a.get(0).modulo(a.get(1)));
        }
        define("ModularIndexing", 3, a -> a.get(0)
                .over(a.get(1))
                .rounded(RoundingMode.FLOOR)
                .modulo(a.get(2)));
        rounding(RoundingMode.FLOOR, "floor", "FloorToInt");
        rounding(RoundingMode.CEILING, "ceiling", "ceil", "CeilToInt");
        rounding(RoundingMode.DOWN, "TruncToInt", "TruncToFloat", "trunc");
        rounding(RoundingMode.HALF_EVEN, "RoundToInt");
        define("RoundDecimal", 2, a -> roundDecimal(a.get(0), a.get(1)));
        define("ToFloat", 1, a -> new Quantity.Real(a.get(0).real()));
        define("Identity", 1, a -> a.get(0));
        define("Abs", 1, a -> a.get(0).compare(Quantity.ZERO) < 0 ? a.get(0).negated() : a.get(0));
        for (String root : List.of("sqrt", "OpaqueUnaryFn_sqrt")) {
            define(root, 1, a -> new Quantity.Real(Math.sqrt(a.get(0).real())));
        }
        define("OpaqueUnaryFn_log2", 1, a -> new Quantity.Real(Math.log(a.get(0).real()) / Math.log(2)));
        define("LShift", 2, a -> a.get(0).times(Quantity.of(2).power(a.get(1))));
        define("RShift", 2, a -> a.get(0)
                .over(Quantity.of(2).power(a.get(1)))
                .rounded(RoundingMode.FLOOR));
        relation(order -> order == 0, "Equality", "Eq");
        relation(order -> order != 0, "Unequality", "Ne");
        relation(order -> order < 0, "StrictLessThan", "Lt");
        relation(order -> order <= 0, "LessThan", "Le");
        relation(order -> order > 0, "StrictGreaterThan", "Gt");
        relation(order -> order >= 0, "GreaterThan", "Ge");
        KNOWN.put("And", new Entry(0, Integer.MAX_VALUE, a -> Quantity.of(a.stream().allMatch(Quantity::isTrue))));
        KNOWN.put("Or", new Entry(0, Integer.MAX_VALUE, a -> Quantity.of(a.stream().anyMatch(Quantity::isTrue))));
        define("Not", 1, a -> Quantity.of(!a.get(0).isTrue()));
        define("Where", 3, a -> a.get(0).isTrue() ? a.get(1) : a.get(2));
    }

    private SymFunction() {}

    /**
     * The function of this name, or {@code null} if it is not known.
     *
     * @throws GraphException if it does not take so many arguments
     */
    static Body named(String name, int arguments) {
        Entry entry = KNOWN.get(name);
        if (entry == null) {
            return null;
        }
        if (arguments < entry.fewest || arguments > entry.most) {
            throw new GraphException(name + " does not take " + arguments + " arguments");
        }
        return entry.body;
    }

    private static void define(String name, int arity, Body body) {
        KNOWN.put(name, new Entry(arity, arity, body));
    }

    private static void fold(String name, Quantity start, BinaryOperator<Quantity> step) {
        KNOWN.put(name, new Entry(0, Integer.MAX_VALUE, a -> a.stream().reduce(start, step)));
    }

    private static void pick(String name, int sign) {
        BinaryOperator<Quantity> better = (a, b) -> Integer.signum(b.compare(a)) == sign ? b : a;
        KNOWN.put(name, new Entry(1, Integer.MAX_VALUE, a -> a.stream().reduce(better).orElseThrow()));
    }

    private static void rounding(RoundingMode mode, String... names) {
        for (String name : names) {
            define(name, 1, a -> a.get(0).rounded(mode));
        }
    }

    private static void relation(IntPredicate holds, String... names) {
        for (String name : names) {
            define(name, 2, a -> Quantity.of(holds.test(a.get(0).compare(a.get(1)))));
        }
    }

    private static Quantity trueDivision(Quantity a, Quantity b) {
        if (b.compare(Quantity.ZERO) == 0) {
            throw new GraphException("division by zero");
        }
        return new Quantity.Real(a.over(b).real());
    }

    private static Quantity roundDecimal(Quantity value, Quantity digits) {
        double real = value.real();
        long scale = digits.asLong();
        if (Math.abs(scale) > 300 || Double.isInfinite(real) || Double.isNaN(real)) {
            return value;
        }
        return new Quantity.Real(new BigDecimal(real)
                .setScale((int) scale, RoundingMode.HALF_EVEN)
                .doubleValue());
    }
}
