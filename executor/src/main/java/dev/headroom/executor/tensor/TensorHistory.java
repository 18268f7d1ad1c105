package dev.headroom.executor.tensor;

/** What autograd does when scopes and tensors end: it lets go of history that nothing refers to any more. */
public interface TensorHistory {
    /** How many nodes await their first result. */
    int unfinished();

    /** Lets the newest nodes go, down to so many: their operators ended without a result, or failed. */
    void abandon(int down);

    /** A tensor ends: so may its history. */
    void forget(Tensor t);
}
