package dev.headroom.executor.kernel;

/** Formulas that several operators are made of. */
public final class Formulas {
    public static final Formula ABS = Formula.unary("abs", "fabs(x0)", Math::abs);

    public static final Formula COS = Formula.unary("cos", "cos(x0)", Math::cos);

    public static final Formula EXP = Formula.unary("exp", "exp(x0)", Math::exp);

    public static final Formula LOG = Formula.unary("log", "log(x0)", Math::log);

    public static final Formula NEGATE = Formula.unary("neg", "-x0", x -> -x);

    public static final Formula RSQRT = Formula.unary("rsqrt", "1 / sqrt(x0)", x -> 1 / Math.sqrt(x));

    /** 1, 0 or -1. */
    public static final Formula SIGN =
            Formula.unary("sgn", "(real) ((x0 > 0) - (x0 < 0))", x -> x > 0 ? 1 : x < 0 ? -1 : 0);

    public static final Formula SIN = Formula.unary("sin", "sin(x0)", Math::sin);

    /** Whether it is zero. */
    public static final Formula EQUALS_ZERO = Formula.unary("equals_zero", "x0 == 0", x -> x == 0 ? 1 : 0);

    /** Whether one of two is not zero. */
    public static final Formula EITHER =
            Formula.binary("either", "x0 != 0 || x1 != 0", (a, b) -> a != 0 || b != 0 ? 1 : 0);

    /** Of two truths. */
    public static final Formula BOTH = Formula.binary("both", "(x0 != 0) && (x1 != 0)", (a, b) -> a * b);

    /** By the first: the second where it is not zero, else the third. */
    public static final Formula WHERE =
            new Formula("where", "y0 = x0 != 0 ? x1 : x2;", (x, s, y) -> y[0] = x[0] != 0 ? x[1] : x[2]);

    /** The first, or zero where the second is not. */
    public static final Formula CLEARED = Formula.binary("cleared", "x1 != 0 ? 0 : x0", (a, b) -> b != 0 ? 0 : a);

    public static final Formula DIFFERENCE = Formula.binary("sub", "x0 - x1", (a, b) -> a - b);

    public static final Formula EQUAL = Formula.binary("eq", "x0 == x1", (a, b) -> a == b ? 1 : 0);

    public static final Formula MAXIMUM = Formula.binary("maximum", "x0 > x1 ? x0 : x1", Math::max);

    private Formulas() {}
}
