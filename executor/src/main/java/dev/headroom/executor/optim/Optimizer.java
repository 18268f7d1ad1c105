package dev.headroom.executor.optim;

/** Updates parameters from their gradients. */
public interface Optimizer {
    /** {@code optimizer.step()}. */
    void step();
}
