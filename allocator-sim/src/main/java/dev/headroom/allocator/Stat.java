package dev.headroom.allocator;

/** One counter of the allocator, seen live: c10's {@code Stat}. Bytes or a count, by the statistic. */
public final class Stat {
    private long current;
    private long peak;
    private long freed;
    private long allocatedBase;
    private long freedBase;

    Stat() {}

    /** The value now. */
    public long current() {
        return current;
    }

    /** The largest value since the start or the last {@link CachingAllocator#resetPeakStatistics}. */
    public long peak() {
        return peak;
    }

    /** Sum of all increases since the start or the last reset of accumulated statistics. */
    public long allocated() {
        return current + freed - allocatedBase;
    }

    /** Sum of all decreases since the start or the last reset of accumulated statistics. */
    public long freed() {
        return freed - freedBase;
    }

    void increase(long amount) {
        long now = current + amount;
        current = now;
        if (now > peak) {
            peak = now;
        }
    }

    void decrease(long amount) {
        current -= amount;
        freed += amount;
    }

    void resetPeak() {
        peak = current;
    }

    void resetAccumulated() {
        allocatedBase = current + freed;
        freedBase = freed;
    }

    @Override
    public String toString() {
        return "current " + current + ", peak " + peak;
    }
}
