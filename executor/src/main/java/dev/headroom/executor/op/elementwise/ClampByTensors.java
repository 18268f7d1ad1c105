package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** {@code clamp} between tensors (FunctionsManual.cpp, clamp_backward); with one bound it is a maximum or a minimum. */
final class ClampByTensors {
    private static final double[] NONE = {};
    private static final Formula BETWEEN = new Formula(
            "clamp_tensors",
            "y0 = x0 < x1 ? x1 : x0; y0 = y0 > x2 ? x2 : y0;",
            (x, s, y) -> y[0] = Math.min(Math.max(x[0], x[1]), x[2]));
    private static final Formula LESS = Formula.binary("lt", "(x0 < x1)", (a, b) -> a < b ? 1 : 0);
    private static final Formula GREATER = Formula.binary("gt", "(x0 > x1)", (a, b) -> a > b ? 1 : 0);
    private static final Formula CHOICE = new Formula(
            "clamp_tensors_backward",
            "y0 = x2 != 0 ? 0 : x1 != 0 ? x3 : x0;",
            (x, s, y) -> y[0] = x[2] != 0 ? 0 : x[1] != 0 ? x[3] : x[0]);

    private ClampByTensors() {}

    static Tensor apply(Eager e, Arguments a, boolean inPlace) {
        if (inPlace) {
            throw new UserInputException("clamp_ with tensors as bounds is not supported by the executor");
        }
        Tensor x = a.tensor("self");
        if (!a.isTensor("min") || !a.isTensor("max")) {
            boolean least = a.isTensor("min");
            return Selecting.chosen(e, x, a.tensor(least ? "min" : "max"), least);
        }
        return between(e, x, a.tensor("min"), a.tensor("max"));
    }

    private static Tensor between(Eager e, Tensor x, Tensor least, Tensor most) {
        Recorder r = e.record("ClampBackward0", x, least, most);
        if (r.needs(1) || r.needs(2)) {
            throw new UserInputException("clamp with gradients of both its bounds is not supported by the executor");
        }
        SavedTensor savedX = r.save(x);
        SavedTensor savedLeast = r.save(least);
        SavedTensor savedMost = r.save(most);
        Tensor out = Elementwise.map(e, BETWEEN, Promotion.common(x, least, most), NONE, x, least, most);
        return r.backward(g -> new Tensor[] {
                    e.call(() -> gradient(e, g[0], savedX.get(), savedLeast.get(), savedMost.get())), null, null
                })
                .output(out);
    }

    /** What lies on a bound gets half. */
    private static Tensor gradient(Eager e, Tensor g, Tensor x, Tensor least, Tensor most) {
        Tensor apart = truth(e, LESS, least, most);
        Tensor below = truth(e, Formulas.EQUAL, x, least);
        Tensor above = truth(e, Formulas.EQUAL, x, most);
        Tensor either = truth(e, Formulas.EITHER, below, above);
        Tensor tied = truth(e, Formulas.BOTH, either, apart);
        e.free(either);
        e.free(above);
        e.free(below);
        Tensor less = truth(e, LESS, x, least);
        Tensor greater = truth(e, GREATER, x, most);
        Tensor outside = truth(e, Formulas.EITHER, less, greater);
        e.free(greater);
        e.free(less);
        Tensor half = Scaling.times(e, g, 0.5);
        return Elementwise.map(e, CHOICE, g.dtype(), NONE, g, tied, outside, half);
    }

    private static Tensor truth(Eager e, Formula formula, Tensor a, Tensor b) {
        return Elementwise.map(e, formula, DType.BOOL, NONE, a, b);
    }
}
