package dev.headroom.estimator.log;

/** When allocated memory was first at its highest, as it is told of every allocation. */
public final class HighestAllocated {
    private long bytes = -1;
    private int events;
    private long reserved;

    /**
     * Something was allocated.
     *
     * @param allocated bytes in live blocks from then on
     * @param eventsThen events in the log, that one included
     * @param reservedThen bytes that the allocator holds
     */
    public void allocated(long allocated, int eventsThen, long reservedThen) {
        if (allocated > bytes) {
            bytes = allocated;
            events = eventsThen;
            reserved = reservedThen;
        }
    }

    /** The most bytes that were allocated at once. */
    public long bytes() {
        return Math.max(bytes, 0);
    }

    /** Events until allocated memory was first at its highest. */
    public int events() {
        return events;
    }

    /** Bytes that the allocator held then. */
    public long reserved() {
        return reserved;
    }
}
