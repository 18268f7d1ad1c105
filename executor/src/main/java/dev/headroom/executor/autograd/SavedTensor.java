package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorMemory;
import dev.headroom.model.error.UserInputException;
import org.jspecify.annotations.Nullable;

/** A tensor kept for the backward pass (torch/csrc/autograd/saved_variable.cpp). */
public abstract sealed class SavedTensor {
    /** Stands for what is not kept. */
    static final SavedTensor NOTHING = new Nothing();

    private SavedTensor() {}

    static SavedTensor holding(TensorMemory memory, Tensor t, String node) {
        return new Held(memory, memory.hold(t), t.storage().version(), node);
    }

    static SavedTensor packed(Tensor t, SavedTensorHooks hooks, String node) {
        return new Packed(hooks, hooks.pack(t), node);
    }

    /**
     * The tensor, borrowed.
     *
     * @throws UserInputException when it was changed in place since, or the backward pass has run already
     * @throws IllegalStateException when nothing was saved
     */
    public final Tensor get() {
        Tensor t = getOrNull();
        if (t == null) {
            throw new IllegalStateException("a tensor is used that was not saved");
        }
        return t;
    }

    /** The tensor, borrowed, or another where nothing was saved. */
    public final Tensor getOr(Tensor other) {
        Tensor t = getOrNull();
        return t == null ? other : t;
    }

    /**
     * The tensor, borrowed; {@code null} when nothing was saved.
     *
     * @throws UserInputException when it was changed in place since, or the backward pass has run already
     */
    public abstract @Nullable Tensor getOrNull();

    abstract void release();

    private static UserInputException freed(String node) {
        return new UserInputException(
                node + ": a second backward pass through the same graph; its saved tensors are freed");
    }

    private static final class Nothing extends SavedTensor {
        @Override
        public @Nullable Tensor getOrNull() {
            return null;
        }

        @Override
        void release() {}
    }

    private static final class Held extends SavedTensor {
        private final TensorMemory memory;
        private final int version;
        private final String node;
        private @Nullable Tensor tensor;

        Held(TensorMemory memory, Tensor tensor, int version, String node) {
            this.memory = memory;
            this.tensor = tensor;
            this.version = version;
            this.node = node;
        }

        @Override
        public Tensor getOrNull() {
            if (tensor == null) {
                throw freed(node);
            }
            if (tensor.storage().version() != version) {
                throw new UserInputException(
                        node + ": a tensor that the backward pass needs was changed in place, which PyTorch refuses");
            }
            return tensor;
        }

        @Override
        void release() {
            Tensor t = tensor;
            tensor = null;
            memory.release(t);
        }
    }

    /** What hooks keep in the tensor's place. */
    private static final class Packed extends SavedTensor {
        private final SavedTensorHooks hooks;
        private final String node;
        private @Nullable Object packed;

        Packed(SavedTensorHooks hooks, Object packed, String node) {
            this.hooks = hooks;
            this.packed = packed;
            this.node = node;
        }

        @Override
        public Tensor getOrNull() {
            if (packed == null) {
                throw freed(node);
            }
            return hooks.unpack(packed);
        }

        @Override
        void release() {
            Object p = packed;
            packed = null;
            if (p != null) {
                hooks.release(p);
            }
        }
    }
}
