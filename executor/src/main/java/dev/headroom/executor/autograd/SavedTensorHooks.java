package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;

/** {@code torch.autograd.graph.saved_tensors_hooks}: keeps something else in place of saved tensors. */
public interface SavedTensorHooks {
    /** Takes note of a tensor that is saved; borrowed. */
    Object pack(Tensor t);

    /** Brings back the tensor, as a local of the running scope. */
    Tensor unpack(Object packed);

    /** The node lets go of it. */
    void release(Object packed);
}
