package dev.headroom.allocator;

/**
 * For the small or the large pool, all that came and all that went since the start. A counter is the difference of two
 * of these sums. Those that change at every allocation are fields of their own; several counters share what was handed
 * out.
 */
final class PoolSums {
    /** What is counted: the statistics that PyTorch breaks down by pool, and those of large blocks. */
    enum Counter {
        ALLOCATION,
        ACTIVE,
        ALLOCATED_BYTES,
        ACTIVE_BYTES,
        REQUESTED_BYTES,
        INACTIVE_SPLIT,
        INACTIVE_SPLIT_BYTES,
        SEGMENT,
        RESERVED_BYTES,
        OVERSIZE_ALLOCATIONS,
        OVERSIZE_SEGMENTS
    }

    private static final int COUNTERS = Counter.values().length;

    /** Blocks handed out, their bytes, and the bytes that were asked for. */
    long handedOut;

    long handedOutBytes;
    long handedOutRequested;
    /** Blocks given back, though other streams may still use them. */
    long givenBack;

    long givenBackBytes;
    /** Blocks that no stream uses any more. */
    long inactive;

    long inactiveBytes;
    long inactiveRequested;
    /** Free blocks that became parts of segments, and those that were taken or joined. */
    long split;

    long splitBytes;
    long splitGone;
    long splitBytesGone;
    /** What came and went by the number of a counter, of all others. */
    private final long[] came = new long[COUNTERS];

    private final long[] went = new long[COUNTERS];

    void increase(Counter counter, long amount) {
        came[counter.ordinal()] += amount;
    }

    void decrease(Counter counter, long amount) {
        went[counter.ordinal()] += amount;
    }

    long came(Counter counter) {
        return switch (counter) {
            case ALLOCATION, ACTIVE -> handedOut;
            case ALLOCATED_BYTES, ACTIVE_BYTES -> handedOutBytes;
            case REQUESTED_BYTES -> handedOutRequested;
            case INACTIVE_SPLIT -> split;
            case INACTIVE_SPLIT_BYTES -> splitBytes;
            default -> came[counter.ordinal()];
        };
    }

    long went(Counter counter) {
        return switch (counter) {
            case ALLOCATION -> givenBack;
            case ALLOCATED_BYTES -> givenBackBytes;
            case ACTIVE -> inactive;
            case ACTIVE_BYTES -> inactiveBytes;
            case REQUESTED_BYTES -> inactiveRequested;
            case INACTIVE_SPLIT -> splitGone;
            case INACTIVE_SPLIT_BYTES -> splitBytesGone;
            default -> went[counter.ordinal()];
        };
    }

    void copyFrom(PoolSums other) {
        handedOut = other.handedOut;
        handedOutBytes = other.handedOutBytes;
        handedOutRequested = other.handedOutRequested;
        givenBack = other.givenBack;
        givenBackBytes = other.givenBackBytes;
        inactive = other.inactive;
        inactiveBytes = other.inactiveBytes;
        inactiveRequested = other.inactiveRequested;
        split = other.split;
        splitBytes = other.splitBytes;
        splitGone = other.splitGone;
        splitBytesGone = other.splitBytesGone;
        System.arraycopy(other.came, 0, came, 0, came.length);
        System.arraycopy(other.went, 0, went, 0, went.length);
    }
}
