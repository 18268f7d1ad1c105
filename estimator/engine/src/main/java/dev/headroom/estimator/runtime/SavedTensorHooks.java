package dev.headroom.estimator.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Takes over the keeping of tensors that autograd saves: {@code torch.autograd.graph.saved_tensors_hooks}. Only the
 * newest hooks of a thread see a tensor (torch/csrc/autograd/saved_variable.cpp, set_hooks_and_pack_data).
 */
@FunctionalInterface
public interface SavedTensorHooks {
    /** What a node keeps instead of a tensor. */
    interface Packed {
        /** The tensor, with a reference for the caller; called once, just before the node runs. */
        @Nullable
        Tensor unpack();

        /** The node that kept it ran or died. */
        void release();
    }

    /** Called with each tensor when it is saved. The tensor is the caller's. */
    Packed pack(Tensor t);
}
