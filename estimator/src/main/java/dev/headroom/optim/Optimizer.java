package dev.headroom.optim;

/** What one {@code step()} of an optimizer does to memory: state that it makes, temporaries that it takes. */
public interface Optimizer {
    /** Steps all parameters that have a gradient. */
    void step();

    /** Bytes of state of a parameter, by its position in the list that the optimizer was made with. */
    long stateBytes(int parameter);
}
