package dev.headroom.allocator;

/**
 * What an allocator without fragmentation would hold. It caches as PyTorch's does, but could move blocks together at no
 * cost, so that it asks the driver only when more bytes are active than it holds. What it holds is therefore the most
 * that was active at once since memory was last returned, in whole granules of the driver.
 */
final class IdealAllocator {
    private long highWater;

    void active(long bytes) {
        if (bytes > highWater) {
            highWater = bytes;
        }
    }

    void copyFrom(IdealAllocator other) {
        highWater = other.highWater;
    }

    /** Memory was returned: the ideal allocator returns all it does not use. */
    void released(long activeBytes) {
        highWater = activeBytes;
    }

    long reserved() {
        return Bytes.roundUp(highWater, SimulatedDeviceMemory.GRANULE);
    }
}
