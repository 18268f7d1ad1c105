package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** What the backward pass itself computes. Results are locals of the running scope; nothing is recorded. */
public interface GradientArithmetic {
    /** A fresh sum. */
    Tensor add(Tensor a, Tensor b);

    /** Adds to the first. */
    void addInPlace(Tensor a, Tensor b);

    /** A fresh sum where one is sparse at least: sparse if both are. */
    Tensor addSparse(Tensor a, Tensor b);

    /** Adds a sparse gradient to a dense one. */
    void addRowsInPlace(Tensor dense, Tensor sparse);

    /** A copy of a sparse gradient. */
    Tensor copySparse(Tensor t);

    /** Sums what broadcasting repeated (ATen/ExpandUtils.h, sum_to). */
    Tensor sumTo(Tensor t, long[] sizes);

    /** Another type. */
    Tensor cast(Tensor t, DType dtype);

    /**
     * A copy with a variable's layout if that is dense, else row-major (grad_layout_contract.h, clone_obey_contract).
     */
    Tensor cloneFor(Tensor grad, Tensor variable);
}
