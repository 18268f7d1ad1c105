package dev.headroom.allocator;

/**
 * A range of reserved addresses that gets memory in granules: c10's ExpandableSegment.
 *
 * @param address first address
 * @param bytes size of the range, a multiple of the granule
 * @param granule bytes that are mapped and unmapped together
 */
record ExpandableSegment(long address, long bytes, long granule) {
    /** First granule border at or below an address. */
    long down(long at) {
        return address + (at - address) / granule * granule;
    }

    /** First granule border at or above an address. */
    long up(long at) {
        return address + Bytes.roundUp(at - address, granule);
    }
}
