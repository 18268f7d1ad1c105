package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/**
 * Functions of symbolic expressions under the names that SymPy prints.
 *
 * <p>Source: torch/utils/_sympy/functions.py of PyTorch 2.14.1 and SymPy's core.
 */
final class SymFunction {
    private static final int ANY = -1;
    private static final int UNKNOWN = -2;

    private SymFunction() {}

    /**
     * Whether the function is known.
     *
     * @throws UserInputException if it is, but does not take so many arguments
     */
    static boolean isKnown(String name, int arguments) {
        int arity = arity(name);
        if (arity >= 0 && arity != arguments || isPick(name) && arguments == 0) {
            throw new UserInputException(name + " does not take " + arguments + " arguments");
        }
        return arity != UNKNOWN;
    }

    private static boolean isPick(String name) {
        return name.equals("Max") || name.equals("Min");
    }

    private static int arity(String name) {
        return switch (name) {
            case "Add", "Mul", "Max", "Min", "And", "Or" -> ANY;
            case "floor", "FloorToInt", "ceiling", "ceil", "CeilToInt", "TruncToInt", "TruncToFloat", "trunc" -> 1;
            case "RoundToInt",
                    "ToFloat",
                    "Identity",
                    "Abs",
                    "sqrt",
                    "OpaqueUnaryFn_sqrt",
                    "OpaqueUnaryFn_log2",
                    "Not" -> 1;
            case "Pow", "PowByNatural", "FloatPow", "FloorDiv", "CleanDiv", "CeilDiv", "IntTrueDiv", "FloatTrueDiv" ->
                2;
            case "Divide", "Rational", "Mod", "PythonMod", "RoundDecimal", "LShift", "RShift" -> 2;
            case "Equality", "Eq", "Unequality", "Ne", "StrictLessThan", "Lt", "LessThan", "Le" -> 2;
            case "StrictGreaterThan", "Gt", "GreaterThan", "Ge" -> 2;
            case "ModularIndexing", "Where" -> 3;
            default -> UNKNOWN;
        };
    }

    /** Applies a known function. */
    static Quantity apply(String name, List<Quantity> a) {
        int count = arity(name);
        return switch (count) {
            case ANY -> fold(name, a);
            case 1 -> unary(name, a.get(0));
            case 2 -> binary(name, a.get(0), a.get(1));
            case 3 ->
                name.equals("Where")
                        ? a.get(0).isTrue() ? a.get(1) : a.get(2)
                        : a.get(0).over(a.get(1)).rounded(RoundingMode.FLOOR).modulo(a.get(2));
            default -> throw new UserInputException("function " + name + " is not known to this version");
        };
    }

    private static Quantity fold(String name, List<Quantity> arguments) {
        Quantity result = isPick(name) ? arguments.get(0) : Quantity.of(name.equals("Mul") || name.equals("And"));
        for (Quantity next : arguments) {
            result = switch (name) {
                case "Add" -> result.plus(next);
                case "Mul" -> result.times(next);
                case "Max" -> next.compare(result) > 0 ? next : result;
                case "Min" -> next.compare(result) < 0 ? next : result;
                case "And" -> Quantity.of(result.isTrue() && next.isTrue());
                default -> Quantity.of(result.isTrue() || next.isTrue());
            };
        }
        return result;
    }

    private static Quantity unary(String name, Quantity x) {
        return switch (name) {
            case "floor", "FloorToInt" -> x.rounded(RoundingMode.FLOOR);
            case "ceiling", "ceil", "CeilToInt" -> x.rounded(RoundingMode.CEILING);
            case "TruncToInt", "TruncToFloat", "trunc" -> x.rounded(RoundingMode.DOWN);
            case "RoundToInt" -> x.rounded(RoundingMode.HALF_EVEN);
            case "ToFloat" -> new Quantity.Real(x.real());
            case "Abs" -> x.compare(Quantity.ZERO) < 0 ? x.negated() : x;
            case "sqrt", "OpaqueUnaryFn_sqrt" -> new Quantity.Real(Math.sqrt(x.real()));
            case "OpaqueUnaryFn_log2" -> new Quantity.Real(Math.log(x.real()) / Math.log(2));
            case "Not" -> Quantity.of(!x.isTrue());
            default -> x;
        };
    }

    private static Quantity binary(String name, Quantity x, Quantity y) {
        return switch (name) {
            case "Pow", "PowByNatural", "FloatPow" -> x.power(y);
            case "FloorDiv", "CleanDiv" -> x.over(y).rounded(RoundingMode.FLOOR);
            case "CeilDiv" -> x.over(y).rounded(RoundingMode.CEILING);
            case "IntTrueDiv", "FloatTrueDiv" -> new Quantity.Real(x.over(y).real());
            case "Divide", "Rational" -> x.over(y);
            case "Mod", "PythonMod" -> x.modulo(y);
            case "RoundDecimal" -> roundDecimal(x, y);
            case "LShift" -> x.times(Quantity.of(2).power(y));
            case "RShift" -> x.over(Quantity.of(2).power(y)).rounded(RoundingMode.FLOOR);
            default -> Quantity.of(holds(name, x.compare(y)));
        };
    }

    private static boolean holds(String relation, int order) {
        return switch (relation) {
            case "Equality", "Eq" -> order == 0;
            case "Unequality", "Ne" -> order != 0;
            case "StrictLessThan", "Lt" -> order < 0;
            case "LessThan", "Le" -> order <= 0;
            case "StrictGreaterThan", "Gt" -> order > 0;
            default -> order >= 0;
        };
    }

    private static Quantity roundDecimal(Quantity value, Quantity digits) {
        double real = value.real();
        long scale = digits.asLong();
        if (Math.abs(scale) > 300 || Double.isInfinite(real) || Double.isNaN(real)) {
            return value;
        }
        BigDecimal rounded = new BigDecimal(real).setScale((int) scale, RoundingMode.HALF_EVEN);
        return new Quantity.Real(rounded.doubleValue());
    }
}
