package dev.headroom.estimator.op;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/** The operators that the backward engine calls by itself. */
public final class EngineArithmetic implements AutogradEngine.Arithmetic {
    @Override
    public Tensor add(EagerRuntime rt, Tensor a, Tensor b) {
        return Pointwise.add(rt, a, b);
    }

    @Override
    public void addInPlace(EagerRuntime rt, Tensor a, Tensor b) {
        Pointwise.addInPlace(rt, a, b, false);
    }

    @Override
    public Tensor sumTo(EagerRuntime rt, Tensor grad, long[] sizes) {
        return Reductions.sumTo(rt, grad, sizes);
    }

    @Override
    public Tensor cast(EagerRuntime rt, Tensor grad, DType type) {
        return Copies.to(rt, grad, type);
    }

    @Override
    public Tensor cloneLike(EagerRuntime rt, Tensor grad, Tensor variable) {
        return rt.emptyStrided(grad.dtype(), grad.sizes(), Shapes.preserved(variable.sizes(), variable.strides()));
    }
}
