package dev.headroom.executor.op.complex;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.ComplexNumbers;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Complex numbers made of real ones, and the reverse (aten/src/ATen/native/ComplexHelper.h, UnaryOps.cpp). */
public final class ComplexOperators {
    private static final double[] NONE = {};
    private static final Formula PAIR = new Formula("complex", "y0 = x0; y1 = x1;", (x, s, y) -> {
        y[0] = x[0];
        y[1] = x[1];
    });
    private static final Formula POLAR = new Formula("polar", "y0 = x0 * cos(x1); y1 = x0 * sin(x1);", (x, s, y) -> {
        y[0] = x[0] * Math.cos(x[1]);
        y[1] = x[0] * Math.sin(x[1]);
    });
    private static final Formula LENGTH = Formula.binary("complex_abs", "hypot(x0, x1)", Math::hypot);

    /** Of both parts: those of what lies in the same direction at the distance one. */
    private static final Formula DIRECTION = new Formula(
            "complex_sgn", "real n = hypot(x0, x1); y0 = n == 0 ? 0 : x0 / n; y1 = n == 0 ? 0 : x1 / n;", (x, s, y) -> {
                double n = Math.hypot(x[0], x[1]);
                y[0] = n == 0 ? 0 : x[0] / n;
                y[1] = n == 0 ? 0 : x[1] / n;
            });

    /** Times i. */
    private static final Formula TURNED = new Formula("complex_turn", "y0 = -x1; y1 = x0;", (x, s, y) -> {
        y[0] = -x[1];
        y[1] = x[0];
    });

    private ComplexOperators() {}

    public static void register(Operators o) {
        o.add1("aten.view_as_complex", (e, a) -> asComplex(e, a.tensor("self")));
        o.add1("aten.view_as_real", (e, a) -> asReal(e, a.tensor("self")));
        o.add1("aten.real", (e, a) -> part(e, a.tensor("self"), 0));
        o.add1("aten.imag", (e, a) -> part(e, a.tensor("self"), 1));
        o.add1("aten.complex", (e, a) -> joined(e, a.tensor("real"), a.tensor("imag")));
        o.add1("aten.polar", (e, a) -> polar(e, a.tensor("abs"), a.tensor("angle")));
    }

    /** {@code view_as_complex}: the last dimension holds the two parts. */
    static Tensor asComplex(Eager e, Tensor t) {
        int last = t.dims() - 1;
        long[] strides = Arrays.stream(t.strides(), 0, last).map(s -> s / 2).toArray();
        return e.record("ViewAsComplexBackward0", t)
                .backward(g -> new Tensor[] {e.call(() -> asReal(e, Copies.contiguous(e, g[0])))})
                .output(e.view(t, t.dtype().asComplex(), Arrays.copyOf(t.sizes(), last), strides, t.offset() / 2));
    }

    /** {@code view_as_real}. */
    static Tensor asReal(Eager e, Tensor t) {
        int dims = t.dims();
        long[] sizes = Arrays.copyOf(t.sizes(), dims + 1);
        sizes[dims] = 2;
        long[] strides =
                Arrays.copyOf(Arrays.stream(t.strides()).map(s -> 2 * s).toArray(), dims + 1);
        strides[dims] = 1;
        return e.record("ViewAsRealBackward0", t)
                .backward(g -> new Tensor[] {e.call(() -> asComplex(e, Copies.contiguous(e, g[0])))})
                .output(e.view(t, t.dtype().ofParts(), sizes, strides, 2 * t.offset()));
    }

    private static Tensor part(Eager e, Tensor t, int which) {
        return t.dtype().isComplex() ? e.call(() -> Slices.select(e, asReal(e, t), -1, which)) : t;
    }

    /** {@code complex}: gradients are the parts of the one that comes in. */
    private static Tensor joined(Eager e, Tensor x, Tensor y) {
        Recorder r = e.record("ComplexBackward0", x, y);
        r.save(y); // the code generator takes the functions real and imag of its formulas for the arguments
        r.save(x);
        Tensor out = e.empty(x.dtype().asComplex(), Layout.broadcast(x, y));
        made(e, PAIR, out, x, y);
        return r.backward(g -> new Tensor[] {r.needs(0) ? e.part(g[0], 0) : null, r.needs(1) ? e.part(g[0], 1) : null})
                .output(out);
    }

    private static void made(Eager e, Formula formula, Tensor out, Tensor... operands) {
        try (Scope s = e.open()) {
            e.backend().elementwise().map(formula, NONE, new Tensor[] {e.part(out, 0), e.part(out, 1)}, operands);
        }
    }

    /** {@code polar} (FunctionsManual.cpp, polar_backward). */
    private static Tensor polar(Eager e, Tensor length, Tensor angle) {
        Recorder r = e.record("PolarBackward0", length, angle);
        Tensor out = e.empty(length.dtype().asComplex(), Layout.broadcast(length, angle));
        made(e, POLAR, out, length, angle);
        SavedTensor result = r.saveOutput(out);
        return r.backward(g -> new Tensor[] {
                    r.needs(0) ? along(e, g[0], result.get(), false) : null,
                    r.needs(1) ? along(e, g[0], result.get(), true) : null
                })
                .output(out);
    }

    /** The real part of the gradient's conjugate times the result's direction, or times the result turned by i. */
    private static @Nullable Tensor along(Eager e, Tensor g, Tensor y, boolean turns) {
        return e.call(() -> {
            Tensor factor = e.emptyLike(y);
            try (Scope s = e.open()) {
                Tensor[] of = {e.part(y, 0), e.part(y, 1)};
                made(e, turns ? TURNED : DIRECTION, factor, of);
            }
            Tensor conjugate = ComplexNumbers.conjugate(e, g);
            Tensor product = Elementwise.binary(e, Elementwise.MULTIPLY, conjugate, factor);
            return e.part(product, 0);
        });
    }

    /** {@code abs} of complex numbers; its gradient is the incoming one times the direction. */
    public static Tensor length(Eager e, Tensor t) {
        Recorder r = e.record("AbsBackward0", t);
        SavedTensor saved = r.save(t);
        Tensor out = e.emptyLike(t, t.dtype().ofParts());
        try (Scope s = e.open()) {
            e.backend().elementwise().map(LENGTH, NONE, new Tensor[] {out}, e.part(t, 0), e.part(t, 1));
        }
        return r.backward(g -> new Tensor[] {
                    e.call(() -> {
                        Tensor direction = e.emptyLike(saved.get());
                        try (Scope s = e.open()) {
                            Tensor[] of = {e.part(saved.get(), 0), e.part(saved.get(), 1)};
                            made(e, DIRECTION, direction, of);
                        }
                        return Elementwise.binary(e, Elementwise.MULTIPLY, g[0], direction);
                    })
                })
                .output(out);
    }
}
