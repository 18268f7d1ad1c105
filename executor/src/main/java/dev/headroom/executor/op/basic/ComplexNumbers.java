package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Map;
import java.util.Set;

/**
 * Element-wise kernels of complex numbers, by their two parts, which every backend sees as real numbers two apart. A
 * real operand's imaginary part is zero, and so is a number's.
 */
public final class ComplexNumbers {
    private static final double[] NONE = {};

    /** Of these the parts of the result are the same function of the operands' parts. */
    private static final Set<String> BY_PART = Set.of(
            Formula.COPY.name(),
            Elementwise.ADD.name(),
            Formulas.DIFFERENCE.name(),
            Formulas.NEGATE.name(),
            Scaling.SCALE.name(),
            "add_scaled",
            "rsub");

    /** Of both parts of each operand. */
    private static final Map<String, Formula> BY_BOTH = Map.of(
            Elementwise.MULTIPLY.name(),
            new Formula("complex_mul", "y0 = x0 * x2 - x1 * x3; y1 = x0 * x3 + x1 * x2;", (x, s, y) -> {
                y[0] = x[0] * x[2] - x[1] * x[3];
                y[1] = x[0] * x[3] + x[1] * x[2];
            }),
            "div",
            new Formula(
                    "complex_div",
                    "real n = x2 * x2 + x3 * x3; y0 = (x0 * x2 + x1 * x3) / n; y1 = (x1 * x2 - x0 * x3) / n;",
                    (x, s, y) -> {
                        double n = x[2] * x[2] + x[3] * x[3];
                        y[0] = (x[0] * x[2] + x[1] * x[3]) / n;
                        y[1] = (x[1] * x[2] - x[0] * x[3]) / n;
                    }));

    private ComplexNumbers() {}

    static boolean among(Tensor result, Tensor... operands) {
        if (result.dtype().isComplex()) {
            return true;
        }
        for (Tensor t : operands) {
            if (t.dtype().isComplex()) {
                return true;
            }
        }
        return false;
    }

    /** Computes a result that is complex. */
    static void into(Eager e, Formula formula, double[] numbers, Tensor result, Tensor... operands) {
        if (!e.backend().computes()) {
            return;
        }
        Formula both = BY_BOTH.get(formula.name());
        boolean fills = formula.name().equals(Formula.FILL.name());
        if (!result.dtype().isComplex() || both == null && !fills && !BY_PART.contains(formula.name())) {
            throw new UserInputException("the executor does not compute " + formula.name() + " of complex numbers");
        }
        try (Scope s = e.open()) {
            Tensor[] out = {e.part(result, 0), e.part(result, 1)};
            if (both != null) {
                e.backend().elementwise().map(both, NONE, out, parts(e, operands));
            } else if (fills) {
                e.backend().elementwise().fill(out[0], numbers[0]);
                e.backend().elementwise().fill(out[1], 0);
            } else {
                for (int part = 0; part < out.length; part++) {
                    Tensor[] of = new Tensor[operands.length];
                    for (int i = 0; i < of.length; i++) {
                        of[i] = part(e, operands[i], part);
                    }
                    e.backend().elementwise().map(formula, numbers, new Tensor[] {out[part]}, of);
                }
            }
        }
    }

    /** The conjugates, a copy. */
    public static Tensor conjugate(Eager e, Tensor t) {
        Tensor out = e.emptyLike(t);
        try (Scope s = e.open()) {
            e.backend().elementwise().copy(e.part(out, 0), e.part(t, 0));
            Tensor[] imaginary = {e.part(out, 1)};
            e.backend().elementwise().map(Formulas.NEGATE, NONE, imaginary, e.part(t, 1));
        }
        return out;
    }

    private static Tensor[] parts(Eager e, Tensor... operands) {
        Tensor[] out = new Tensor[2 * operands.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = part(e, operands[i / 2], i % 2);
        }
        return out;
    }

    private static Tensor part(Eager e, Tensor t, int part) {
        if (t.onDevice() && t.dtype().isComplex()) {
            return e.part(t, part);
        }
        return part == 0 ? t : Tensor.number(t.dtype().ofParts(), 0);
    }
}
