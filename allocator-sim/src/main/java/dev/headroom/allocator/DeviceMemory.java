package dev.headroom.allocator;

/**
 * The memory of one device, as a driver hands it out: the {@code cudaMalloc} family, and virtual memory management for
 * expandable segments. Sizes and addresses are bytes.
 */
public interface DeviceMemory {
    /** The address that stands for a refused request. */
    long NONE = -1;

    /**
     * Takes memory, as {@code cudaMalloc}.
     *
     * @param bytes more than zero
     * @return the address, or {@link #NONE} when the device has no room
     */
    long allocate(long bytes);

    /**
     * Gives back what {@link #allocate} returned, as {@code cudaFree}.
     *
     * @param address where the memory begins
     * @param bytes the size that was asked for
     */
    void free(long address, long bytes);

    /** Bytes that the device can still hand out. */
    long free();

    /** Bytes of the device ({@code totalGlobalMem}). */
    long total();

    /**
     * Reserves addresses without memory, as {@code cuMemAddressReserve}.
     *
     * @return the first address, or {@link #NONE} when the address space is used up
     * @throws UnsupportedOperationException when this memory has no virtual memory management
     */
    default long reserveAddresses(long bytes) {
        throw new UnsupportedOperationException("this device memory has no virtual memory management");
    }

    /** Returns reserved addresses, none of them mapped, as {@code cuMemAddressFree}. */
    default void releaseAddresses(long address, long bytes) {
        throw new UnsupportedOperationException("this device memory has no virtual memory management");
    }

    /**
     * Puts memory behind reserved addresses in chunks of {@code granule} bytes, as {@code cuMemCreate} and
     * {@code cuMemMap}. Either all of the range is mapped or nothing.
     *
     * @return false when the device has no room
     */
    default boolean map(long address, long bytes, long granule) {
        throw new UnsupportedOperationException("this device memory has no virtual memory management");
    }

    /** Takes the memory away from a mapped range, as {@code cuMemUnmap} and {@code cuMemRelease}. */
    default void unmap(long address, long bytes, long granule) {
        throw new UnsupportedOperationException("this device memory has no virtual memory management");
    }
}
