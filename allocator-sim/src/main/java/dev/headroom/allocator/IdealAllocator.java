package dev.headroom.allocator;

/**
 * What an allocator without fragmentation would hold: the most bytes that were active at once since memory was last
 * returned to the driver, in whole granules of the driver. Such an allocator caches as PyTorch's does, but moves
 * blocks together at no cost, so that it asks for memory only when the active bytes exceed what it holds.
 */
final class IdealAllocator {
    private long highWater;

    void active(long bytes) {
        if (bytes > highWater) {
            highWater = bytes;
        }
    }

    /** Memory was returned: the ideal allocator returns all it does not use. */
    void released(long activeBytes) {
        highWater = activeBytes;
    }

    long reserved() {
        return Bytes.roundUp(highWater, SimulatedDeviceMemory.GRANULE);
    }
}
