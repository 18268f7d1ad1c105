package dev.headroom.allocator;

/** One counter of the allocator, seen live: c10's {@code Stat}. Bytes or a count, by the statistic. */
public final class Stat {
    /** Numbers that a counter takes in its table: value, peak, sum of decreases, and the value at the last reset. */
    static final int WIDTH = 4;

    private final long[] values;
    private final int at;

    Stat(long[] values, int at) {
        this.values = values;
        this.at = at;
    }

    /** The value now. */
    public long current() {
        return values[at];
    }

    /** The largest value since the start or the last {@link CachingAllocator#resetPeakStatistics}. */
    public long peak() {
        return values[at + 1];
    }

    /** Sum of all increases since the start or the last reset of accumulated statistics. */
    public long allocated() {
        return values[at] + values[at + 2] - values[at + 3];
    }

    /** Sum of all decreases since the start or the last reset of accumulated statistics. */
    public long freed() {
        return values[at + 2];
    }

    void increase(long amount) {
        increase(values, at, amount);
    }

    void decrease(long amount) {
        decrease(values, at, amount);
    }

    void resetPeak() {
        values[at + 1] = values[at];
    }

    void resetAccumulated() {
        values[at + 2] = 0;
        values[at + 3] = values[at];
    }

    static void increase(long[] values, int at, long amount) {
        long now = values[at] + amount;
        values[at] = now;
        if (now > values[at + 1]) {
            values[at + 1] = now;
        }
    }

    static void decrease(long[] values, int at, long amount) {
        values[at] -= amount;
        values[at + 2] += amount;
    }

    @Override
    public String toString() {
        return "current " + current() + ", peak " + peak();
    }
}
