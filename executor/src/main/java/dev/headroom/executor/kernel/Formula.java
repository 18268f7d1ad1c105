package dev.headroom.executor.kernel;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * An element-wise computation, once for each backend. The CUDA text and the Java function must say the same.
 *
 * @param name unique
 * @param cuda statements of CUDA C over {@code x0, x1, …} (operands), {@code s0, s1, …} (numbers) that assign
 *     {@code y0, y1, …} (results); all of one floating-point type named {@code real}
 * @param host the same in Java
 */
public record Formula(String name, String cuda, Host host) {
    /** The operand, converted to the result's type. */
    public static final Formula COPY = unary("copy", "x0", x -> x);

    /** The same number everywhere. */
    public static final Formula FILL = new Formula("fill", "y0 = s0;", (x, s, y) -> y[0] = s[0]);

    /** Computes one element. */
    @FunctionalInterface
    public interface Host {
        /**
         * @param x operands
         * @param s numbers
         * @param y results, to be set
         */
        void compute(double[] x, double[] s, double[] y);
    }

    /** A formula of one operand. */
    public static Formula unary(String name, String cuda, DoubleUnaryOperator host) {
        return new Formula(name, "y0 = " + cuda + ";", (x, s, y) -> y[0] = host.applyAsDouble(x[0]));
    }

    /** A formula of two operands. */
    public static Formula binary(String name, String cuda, DoubleBinaryOperator host) {
        return new Formula(name, "y0 = " + cuda + ";", (x, s, y) -> y[0] = host.applyAsDouble(x[0], x[1]));
    }
}
