package dev.headroom.executor.optim;

/** Updates parameters from their gradients. */
public interface Optimizer extends AutoCloseable {
    /** {@code optimizer.step()}. When memory runs out in it, what it made for the time of the step is given back. */
    void step();

    /** Lets go of its state; one without state has nothing to do. */
    @Override
    default void close() {}
}
