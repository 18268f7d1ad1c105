package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorMemory;
import dev.headroom.model.error.UserInputException;

/** A tensor kept for the backward pass (torch/csrc/autograd/saved_variable.cpp). */
public final class SavedTensor {
    /** Stands for what is not kept. */
    static final SavedTensor NOTHING = new SavedTensor(null, null, null, null, 0, "");

    private final TensorMemory memory;
    private final SavedTensorHooks hooks;
    private final int version;
    private final String node;
    private Tensor held;
    private Object packed;

    private SavedTensor(
            TensorMemory memory, Tensor held, SavedTensorHooks hooks, Object packed, int version, String node) {
        this.memory = memory;
        this.held = held;
        this.hooks = hooks;
        this.packed = packed;
        this.version = version;
        this.node = node;
    }

    static SavedTensor holding(TensorMemory memory, Tensor t, String node) {
        return new SavedTensor(memory, memory.hold(t), null, null, t.storage().version(), node);
    }

    static SavedTensor packed(TensorMemory memory, Tensor t, SavedTensorHooks hooks, String node) {
        return new SavedTensor(memory, null, hooks, hooks.pack(t), 0, node);
    }

    /**
     * The tensor, borrowed; {@code null} when nothing was saved.
     *
     * @throws UserInputException when it was changed in place since, or the backward pass has run already
     */
    public Tensor get() {
        if (this == NOTHING) {
            return null;
        }
        if (hooks != null && packed != null) {
            return hooks.unpack(packed);
        }
        if (held == null) {
            throw new UserInputException(
                    node + ": a second backward pass through the same graph; its saved tensors are freed");
        }
        if (held.storage().version() != version) {
            throw new UserInputException(
                    node + ": a tensor that the backward pass needs was changed in place, which PyTorch refuses");
        }
        return held;
    }

    void release() {
        if (this == NOTHING) {
            return;
        }
        Tensor t = held;
        held = null;
        if (t != null) {
            memory.release(t);
        }
        if (packed != null) {
            Object p = packed;
            packed = null;
            hooks.release(p);
        }
    }
}
