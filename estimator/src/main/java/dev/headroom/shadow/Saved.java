package dev.headroom.shadow;

/** A tensor that a node keeps for its backward pass: PyTorch's SavedVariable (torch/csrc/autograd/saved_variable.cpp). */
public final class Saved {
    private Tensor tensor;

    Saved(Tensor tensor) {
        this.tensor = tensor;
    }

    /** The tensor, valid until the node has run. */
    public Tensor get() {
        if (tensor == null) {
            throw new IllegalStateException("saved tensor used after its node released it");
        }
        return tensor;
    }

    /** The tensor, or {@code null} when none was kept. */
    public Tensor orNull() {
        return tensor;
    }

    Tensor take() {
        Tensor t = tensor;
        tensor = null;
        return t;
    }
}
