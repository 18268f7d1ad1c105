package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Arithmetic inside gradient formulas, by the memory that it takes: every method makes one fresh tensor. Temporaries
 * live until the formula ends and then go in reverse order, as those of a C++ expression do.
 */
public final class Formula {
    private final EagerRuntime rt;

    public Formula(EagerRuntime rt) {
        this.rt = rt;
    }

    public EagerRuntime runtime() {
        return rt;
    }

    /** An element-wise operator over tensors (and numbers, which take no memory). */
    public Tensor op(Tensor... operands) {
        return Strided.result(rt, operands);
    }

    /** A comparison. */
    public Tensor test(Tensor... operands) {
        return Strided.result(rt, DType.BOOL, operands);
    }

    /** {@code at::where} of a fresh condition. */
    public Tensor where(Tensor condition, Tensor... choices) {
        Tensor[] all = new Tensor[choices.length + 1];
        all[0] = condition;
        System.arraycopy(choices, 0, all, 1, choices.length);
        return Strided.result(rt, Strided.promote(choices), all);
    }

    /** {@code masked_fill}. */
    public Tensor maskedFill(Tensor t, Tensor mask) {
        return Strided.result(rt, t.dtype(), t, mask);
    }

    public Tensor zerosLike(Tensor t) {
        return rt.emptyLike(t);
    }
}
