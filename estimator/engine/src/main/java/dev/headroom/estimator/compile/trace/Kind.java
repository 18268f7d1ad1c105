package dev.headroom.estimator.compile.trace;

/** What Inductor makes of a node of the graph. */
public enum Kind {
    /** A parameter, which stays where it is for the whole run. */
    PARAMETER,
    /** A buffer of the model or something that the caller gives. */
    INPUT,
    /** The gradient of a result. */
    TANGENT,
    /** Other sizes and strides of the same storage. */
    VIEW,
    /** One of several results of a node. */
    ITEM,
    /** Each element by itself: inlined where it is read, unless it is realised. */
    POINTWISE,
    /** Elements of a gathered operand; its index is computed. */
    GATHER,
    /** Reduces dimensions; always a buffer. */
    REDUCTION,
    /** Windows over an operand that must lie in memory. */
    WINDOW,
    /** Random numbers from a seed. */
    RANDOM,
    /** Adds into a copy of its first operand. */
    SCATTER,
    /** A call of a library or of an eager kernel. */
    LIBRARY;

    /** Whether the node takes storage of its own somewhere. */
    public boolean computes() {
        return ordinal() > ITEM.ordinal();
    }
}
