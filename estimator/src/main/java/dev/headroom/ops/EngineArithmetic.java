package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Engine;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Shapes;
import dev.headroom.shadow.Tensor;

/** The operators that the backward engine calls by itself. */
public final class EngineArithmetic implements Engine.Arithmetic {
    @Override
    public Tensor add(Runtime rt, Tensor a, Tensor b) {
        return Pointwise.add(rt, a, b);
    }

    @Override
    public void addInPlace(Runtime rt, Tensor a, Tensor b) {
        Pointwise.addInPlace(rt, a, b, false);
    }

    @Override
    public Tensor sumTo(Runtime rt, Tensor grad, long[] sizes) {
        return Reductions.sumTo(rt, grad, sizes);
    }

    @Override
    public Tensor cast(Runtime rt, Tensor grad, DType type) {
        return Copies.to(rt, grad, type);
    }

    @Override
    public Tensor cloneLike(Runtime rt, Tensor grad, Tensor variable) {
        return rt.emptyStrided(grad.dtype(), grad.sizes(), Shapes.preserved(variable.sizes(), variable.strides()));
    }
}
