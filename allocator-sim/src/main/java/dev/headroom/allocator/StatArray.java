package dev.headroom.allocator;

/** A counter for all memory and for each of the two pools: c10's {@code StatArray}. */
public final class StatArray {
    /** Where the sums of a pool begin in a table. */
    static final int SMALL = 0;

    static final int LARGE = 20;
    /** Length of a table. */
    static final int LENGTH = 2 * LARGE;

    private final long[] sums;
    private final int came;
    private final int went;
    private final Stat all = new Stat(this, SMALL, LARGE);
    private final Stat small = new Stat(this, SMALL, SMALL);
    private final Stat large = new Stat(this, LARGE, LARGE);

    /**
     * @param sums a table of sums
     * @param came place of the sum of all increases among those of a pool
     * @param went place of the sum of all decreases
     */
    StatArray(long[] sums, int came, int went) {
        this.sums = sums;
        this.came = came;
        this.went = went;
    }

    /** With a table of its own. */
    StatArray() {
        this(new long[LENGTH], 0, 1);
    }

    /** Both pools together. */
    public Stat all() {
        return all;
    }

    /** Requests up to 1 MiB after rounding. */
    public Stat smallPool() {
        return small;
    }

    /** All larger requests. */
    public Stat largePool() {
        return large;
    }

    long came(int pool) {
        return sums[pool + came];
    }

    long went(int pool) {
        return sums[pool + went];
    }

    void increase(int pool, long amount) {
        sums[pool + came] += amount;
        notePeaks();
    }

    void decrease(int pool, long amount) {
        sums[pool + went] += amount;
    }

    void change(int pool, long by) {
        if (by > 0) {
            increase(pool, by);
        } else {
            decrease(pool, -by);
        }
    }

    /** Notes the values before the first of them falls. */
    void notePeaks() {
        long[] s = sums;
        long inSmall = s[SMALL + came] - s[SMALL + went];
        long inLarge = s[LARGE + came] - s[LARGE + went];
        small.note(inSmall);
        large.note(inLarge);
        all.note(inSmall + inLarge);
    }

    void resetPeak() {
        all.resetPeak();
        small.resetPeak();
        large.resetPeak();
    }

    void resetAccumulated() {
        all.resetAccumulated();
        small.resetAccumulated();
        large.resetAccumulated();
    }

    /** Takes over what the counters keep beside the sums. */
    void copyFrom(StatArray other) {
        all.copyFrom(other.all);
        small.copyFrom(other.small);
        large.copyFrom(other.large);
    }
}
