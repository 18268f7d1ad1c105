package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;

/** Formulas of functions of one tensor that are more than a row. */
final class ElementaryFunctions {
    private ElementaryFunctions() {}

    /** {@code grad * 1 / (1 - self.pow(2))}: {@code rsub} makes its result with empty_like first. */
    static Tensor atanhBackward(Formula f, Tensor g, Tensor x) {
        Tensor rest = f.op(f.op(x));
        return f.op(f.op(g), rest);
    }

    /** {@code isfinite}: {@code (self == self) * (self.abs() != inf)} (ATen/native/TensorCompare.cpp). */
    static Tensor isFinite(Formula f, Tensor x) {
        Tensor absolute = f.op(x);
        Tensor bounded = f.test(absolute);
        Tensor number = f.test(x, x);
        Tensor out = f.op(number, bounded);
        f.runtime().free(number);
        f.runtime().free(bounded);
        f.runtime().free(absolute);
        return out;
    }

    /** {@code zero_()} and {@code fill_()}: nothing fresh; the gradient of what was there is zero. */
    static Tensor constant(Call c) {
        Tensor x = c.tensor("self");
        Recorder r = c.runtime().record("ZeroBackward0", x);
        return r.gradient(0, g -> c.runtime().emptyLike(g)).output(x);
    }
}
