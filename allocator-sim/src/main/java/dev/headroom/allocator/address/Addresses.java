package dev.headroom.allocator.address;

/** Which ranges of a device's addresses are taken. */
public interface Addresses {
    /** No address. */
    long NONE = -1;

    /** Takes a range and returns its address; {@link #NONE} when no gap is large enough. */
    long take(long bytes);

    /** Gives a range back and returns its size, or {@link #NONE} when it was not taken. */
    long drop(long address);

    /** The same ranges, which change on their own from now on. */
    Addresses copy();
}
