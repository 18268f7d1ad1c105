package dev.headroom.executor.tensor;

/** A step of the backward pass, as the tensor knows it whose gradient passes through it. */
public interface GradientNode {
    /** Such as {@code ReluBackward0}. */
    String name();
}
