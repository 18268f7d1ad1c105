package dev.headroom.estimator.op;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Arithmetic inside gradient formulas, by the memory that it takes: every method makes one fresh tensor. Temporaries live
 * until the formula ends and then go in reverse order, as those of a C++ expression do.
 */
final class Formula {
    private final EagerRuntime rt;

    Formula(EagerRuntime rt) {
        this.rt = rt;
    }

    EagerRuntime runtime() {
        return rt;
    }

    /** An element-wise operator over tensors (and numbers, which take no memory). */
    Tensor op(Tensor... operands) {
        return Strided.result(rt, operands);
    }

    /** A comparison. */
    Tensor test(Tensor... operands) {
        return Strided.result(rt, DType.BOOL, operands);
    }

    /** {@code at::where} of a fresh condition. */
    Tensor where(Tensor condition, Tensor... choices) {
        Tensor[] all = new Tensor[choices.length + 1];
        all[0] = condition;
        System.arraycopy(choices, 0, all, 1, choices.length);
        return Strided.result(rt, Strided.promote(choices), all);
    }

    /** {@code masked_fill}. */
    Tensor maskedFill(Tensor t, Tensor mask) {
        return Strided.result(rt, t.dtype(), t, mask);
    }

    Tensor zerosLike(Tensor t) {
        return rt.emptyLike(t);
    }
}
