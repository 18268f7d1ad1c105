package dev.headroom.estimator.runtime;

/**
 * A tensor that a node keeps for its backward pass: PyTorch's SavedVariable (torch/csrc/autograd/saved_variable.cpp).
 */
public final class Saved {
    /** Stands for what is not kept. */
    static final Saved NOTHING = new Saved((Tensor) null);

    private Tensor tensor;
    private SavedTensorHooks.Packed packed;

    Saved(Tensor tensor) {
        this.tensor = tensor;
    }

    Saved(SavedTensorHooks.Packed packed) {
        this.packed = packed;
    }

    /** The tensor, valid until the node has run; {@code null} when none was kept. */
    public Tensor get() {
        if (tensor == null && this != NOTHING) {
            throw new IllegalStateException("saved tensor used after its node released it");
        }
        return tensor;
    }

    Tensor take() {
        Tensor t = tensor;
        tensor = null;
        return t;
    }

    /** What hooks made of it, or {@code null} where the tensor itself is kept. */
    SavedTensorHooks.Packed packed() {
        return packed;
    }

    void unpack() {
        tensor = packed.unpack();
    }
}
