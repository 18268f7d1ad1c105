package dev.headroom.estimator.repeat;

/** A piece of memory that has a number in the event log. */
public interface Memory {
    /** Its number; negative while it has no memory. */
    int number();

    /** Is another entry of the log from now on. */
    void become(int number, int block);

    /** The allocator's handle; negative for none. */
    int block();
}
