package dev.headroom.executor.op.basic;

import dev.headroom.executor.autograd.GradientArithmetic;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** The backward pass's own arithmetic, by the operators. */
public final class GradientSums implements GradientArithmetic {
    private final Eager eager;

    public GradientSums(Eager eager) {
        this.eager = eager;
    }

    @Override
    public Tensor add(Tensor a, Tensor b) {
        return Elementwise.binary(eager, Elementwise.ADD, a, b);
    }

    @Override
    public void addInPlace(Tensor a, Tensor b) {
        Elementwise.into(eager, Elementwise.ADD, a, a, b);
    }

    @Override
    public Tensor addSparse(Tensor a, Tensor b) {
        if (a.rows() != null && b.rows() != null) {
            return SparseRows.joined(eager, a, b, 1);
        }
        Tensor dense = a.rows() == null ? a : b;
        Tensor out = eager.emptyLike(dense);
        Copies.fill(eager, out, dense);
        SparseRows.addTo(eager, out, a.rows() == null ? b : a, 1);
        return out;
    }

    @Override
    public void addRowsInPlace(Tensor dense, Tensor sparse) {
        SparseRows.addTo(eager, dense, sparse, 1);
    }

    @Override
    public Tensor copySparse(Tensor t) {
        return SparseRows.copy(eager, t);
    }

    @Override
    public Tensor sumTo(Tensor t, long[] sizes) {
        return Copies.sumTo(eager, t, sizes);
    }

    @Override
    public Tensor cast(Tensor t, DType dtype) {
        return Copies.to(eager, t, dtype);
    }

    @Override
    public Tensor cloneFor(Tensor grad, Tensor variable) {
        boolean dense = Layout.isDense(variable.sizes(), variable.strides());
        long[] strides = dense ? variable.strides() : Layout.contiguous(variable.sizes());
        Tensor copy = eager.emptyStrided(grad.dtype(), variable.sizes(), strides);
        Copies.fill(eager, copy, grad);
        return copy;
    }
}
