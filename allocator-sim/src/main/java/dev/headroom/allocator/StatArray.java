package dev.headroom.allocator;

/** A counter for all memory and for each of the two pools: c10's {@code StatArray}. */
public final class StatArray {
    private final Stat all = new Stat();
    private final Stat small = new Stat();
    private final Stat large = new Stat();

    StatArray() {}

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
