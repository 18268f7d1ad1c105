package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Window functions (aten/src/ATen/native/TensorFactories.cpp): a line of places that becomes their values; one place
 * more where the window is periodic, which the result leaves out.
 */
public final class WindowFunctions {
    private static final Formula COSINE = new Formula(
            "window_cosine", "y0 = s1 - s2 * cos(x0 * s0);", (x, s, y) -> y[0] = s[1] - s[2] * Math.cos(x[0] * s[0]));
    private static final Formula TRIANGLE = new Formula(
            "window_triangle", "y0 = 1 - fabs(x0 * s0 - 1);", (x, s, y) -> y[0] = 1 - Math.abs(x[0] * s[0] - 1));
    private static final Formula ARC = new Formula(
            "window_arc",
            "real z = x0 * s0 - 1; y0 = z * z < 1 ? s1 * sqrt(1 - z * z) : 0;",
            (x, s, y) -> y[0] = s[1] * Math.sqrt(Math.max(0, 1 - (x[0] * s[0] - 1) * (x[0] * s[0] - 1))));
    private static final Formula SCALED =
            new Formula("window_scaled", "y0 = x0 * s0;", (x, s, y) -> y[0] = x[0] * s[0]);
    private static final Formula RAISED =
            new Formula("window_raised", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);

    private WindowFunctions() {}

    /** From a line of places, with the step between them in parts of the whole, to what there is at each. */
    private interface Shape {
        Tensor of(Eager e, Arguments a, Tensor line, double step);
    }

    public static void register(Operators o) {
        add(o, "hann", (e, a, line, step) -> cosine(e, line, step, 0.5, 0.5));
        add(o, "hamming", (e, a, line, step) -> cosine(e, line, step, a.real("alpha", 0.54), a.real("beta", 0.46)));
        add(o, "bartlett", (e, a, line, step) -> in(e, TRIANGLE, line, 2 * step));
        add(o, "blackman", (e, a, line, step) -> blackman(e, line, step));
        add(o, "kaiser", (e, a, line, step) -> kaiser(e, line, step, a.real("beta", 12)));
    }

    private static void add(Operators o, String name, Shape shape) {
        o.add1(
                "aten." + name + "_window",
                (e, a) -> e.call(() -> {
                    long length = a.integer("window_length", 0);
                    boolean periodic = a.flag("periodic", true) && length > 1;
                    Tensor line = e.empty(a.dtypeOr(DType.FLOAT32), length + (periodic ? 1 : 0));
                    if (length <= 1) {
                        Elementwise.fill(e, line, 1);
                        return line;
                    }
                    e.backend().indexing().range(line, 0, 1);
                    Tensor window = shape.of(e, a, line, 1.0 / (line.elements() - 1));
                    return periodic ? e.alias(window, new long[] {length}, new long[] {1}, 0) : window;
                }));
    }

    private static Tensor in(Eager e, Formula formula, Tensor line, double... numbers) {
        Elementwise.into(e, formula, numbers, line, line);
        return line;
    }

    private static Tensor cosine(Eager e, Tensor line, double step, double mean, double height) {
        return in(e, COSINE, line, 2 * Math.PI * step, mean, height);
    }

    private static Tensor blackman(Eager e, Tensor line, double step) {
        Tensor twice = Elementwise.unary(e, COSINE, line, 4 * Math.PI * step, 0, -0.08);
        Tensor once = Elementwise.unary(e, COSINE, line, 2 * Math.PI * step, 0, 0.5);
        Tensor waves = Elementwise.binary(e, Elementwise.ADD, twice, once);
        Tensor out = Elementwise.unary(e, RAISED, waves, 0.42);
        e.free(line); // the variable takes the new value before temporaries end
        return out;
    }

    private static Tensor kaiser(Eager e, Tensor line, double step, double beta) {
        Tensor out = Elementwise.unary(e, ARC, line, 2 * step, beta);
        in(e, SpecialNumbers.I0, out);
        return in(e, SCALED, out, 1 / SpecialNumbers.bessel(beta, 0, false));
    }
}
