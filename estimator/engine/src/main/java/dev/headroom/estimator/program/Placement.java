package dev.headroom.estimator.program;

/** Which GPU of the process holds what of a model. */
@FunctionalInterface
public interface Placement {
    /** All on the first. */
    Placement FIRST = module -> 0;

    /** The device of a module's own parameters and buffers. */
    int device(String module);
}
