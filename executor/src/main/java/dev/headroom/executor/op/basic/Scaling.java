package dev.headroom.executor.op.basic;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** Products with numbers, below autograd. */
public final class Scaling {
    public static final Formula SCALE = new Formula("scale", "y0 = x0 * s0;", (x, s, y) -> y[0] = x[0] * s[0]);

    private Scaling() {}

    /** A fresh product. */
    public static Tensor times(Eager e, Tensor t, double factor) {
        return Elementwise.unary(e, SCALE, t, factor);
    }

    /** The tensor itself when the factor is 1, as autograd's maybe_multiply. */
    public static Tensor maybeTimes(Eager e, Tensor t, double factor) {
        return factor == 1 ? t : times(e, t, factor);
    }
}
