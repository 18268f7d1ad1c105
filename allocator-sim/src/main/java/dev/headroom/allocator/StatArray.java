package dev.headroom.allocator;

/** A counter for all memory and for each of the two pools: c10's {@code StatArray}. */
public final class StatArray {
    /** Numbers that the three counters take in the table. */
    static final int WIDTH = 3 * Stat.WIDTH;
    /** Places of the counters of the pools, after the one for all. */
    static final int SMALL = Stat.WIDTH;

    static final int LARGE = 2 * Stat.WIDTH;

    private final Stat all;
    private final Stat small;
    private final Stat large;

    StatArray(long[] values, int at) {
        all = new Stat(values, at);
        small = new Stat(values, at + SMALL);
        large = new Stat(values, at + LARGE);
    }

    /** With a table of its own. */
    StatArray() {
        this(new long[WIDTH], 0);
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

    void increase(boolean inSmall, long amount) {
        all.increase(amount);
        (inSmall ? small : large).increase(amount);
    }

    void decrease(boolean inSmall, long amount) {
        all.decrease(amount);
        (inSmall ? small : large).decrease(amount);
    }

    static void increase(long[] values, int at, int pool, long amount) {
        Stat.increase(values, at, amount);
        Stat.increase(values, at + pool, amount);
    }

    static void decrease(long[] values, int at, int pool, long amount) {
        Stat.decrease(values, at, amount);
        Stat.decrease(values, at + pool, amount);
    }

    static void change(long[] values, int at, int pool, long by) {
        if (by > 0) {
            increase(values, at, pool, by);
        } else if (by < 0) {
            decrease(values, at, pool, -by);
        }
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
}
