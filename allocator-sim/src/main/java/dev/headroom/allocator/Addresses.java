package dev.headroom.allocator;

/** Which ranges of a device's addresses are taken. */
interface Addresses {
    /** Takes a range and returns its address; {@link DeviceMemory#NONE} when no gap is large enough. */
    long take(long bytes);

    /** Gives a range back and returns its size, or {@link DeviceMemory#NONE} when it was not taken. */
    long drop(long address);

    /** The same ranges, which change on their own from now on. */
    Addresses copy();
}
