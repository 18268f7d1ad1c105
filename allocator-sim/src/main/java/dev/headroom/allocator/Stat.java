package dev.headroom.allocator;

/**
 * One counter of the allocator, seen live: c10's {@code Stat}. Bytes or a count, by the statistic. Its value is the
 * difference of two sums, of what came and of what went, which the allocator keeps by pool.
 */
public final class Stat {
    private final StatArray array;
    private final boolean inSmall;
    private final boolean inLarge;
    /** The largest value that was noted; a rise since then is noted when it ends. */
    private long peak;
    /** The two sums at the last reset. */
    private long cameBefore;

    private long wentBefore;

    Stat(StatArray array, boolean inSmall, boolean inLarge) {
        this.array = array;
        this.inSmall = inSmall;
        this.inLarge = inLarge;
    }

    /** The value now. */
    public long current() {
        return came() - went();
    }

    /** The largest value since the start or the last {@link CachingAllocator#resetPeakStatistics}. */
    public long peak() {
        return Math.max(peak, current());
    }

    /** Sum of all increases since the start or the last reset of accumulated statistics. */
    public long allocated() {
        return came() - cameBefore;
    }

    /** Sum of all decreases since the start or the last reset of accumulated statistics. */
    public long freed() {
        return went() - wentBefore;
    }

    /** Notes a value that may be the largest so far. */
    void notePeak(long value) {
        if (value > peak) {
            peak = value;
        }
    }

    void resetPeak() {
        peak = current();
    }

    void resetAccumulated() {
        cameBefore = came();
        wentBefore = went();
    }

    void copyFrom(Stat other) {
        peak = other.peak;
        cameBefore = other.cameBefore;
        wentBefore = other.wentBefore;
    }

    private long came() {
        return array.came(inSmall, inLarge);
    }

    private long went() {
        return array.went(inSmall, inLarge);
    }

    @Override
    public String toString() {
        return "current " + current() + ", peak " + peak();
    }
}
