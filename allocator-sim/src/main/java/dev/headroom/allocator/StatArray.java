package dev.headroom.allocator;

import dev.headroom.allocator.PoolSums.Counter;

/** A counter for all memory and for each of the two pools: c10's {@code StatArray}. */
public final class StatArray {
    final Counter counter;
    private final PoolSums sumsOfSmall;
    private final PoolSums sumsOfLarge;
    private final Stat all = new Stat(this, true, true);
    private final Stat small = new Stat(this, true, false);
    private final Stat large = new Stat(this, false, true);

    StatArray(Counter counter, PoolSums small, PoolSums large) {
        this.counter = counter;
        this.sumsOfSmall = small;
        this.sumsOfLarge = large;
    }

    /** With sums of its own. */
    StatArray(Counter counter) {
        this(counter, new PoolSums(), new PoolSums());
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

    long came(boolean inSmall, boolean inLarge) {
        return (inSmall ? sumsOfSmall.came(counter) : 0) + (inLarge ? sumsOfLarge.came(counter) : 0);
    }

    long went(boolean inSmall, boolean inLarge) {
        return (inSmall ? sumsOfSmall.went(counter) : 0) + (inLarge ? sumsOfLarge.went(counter) : 0);
    }

    void increase(boolean inSmall, long amount) {
        (inSmall ? sumsOfSmall : sumsOfLarge).increase(counter, amount);
        notePeaks(small.current(), large.current());
    }

    void decrease(boolean inSmall, long amount) {
        (inSmall ? sumsOfSmall : sumsOfLarge).decrease(counter, amount);
    }

    /** Notes the values in the two pools, before one of them falls. */
    void notePeaks(long inSmall, long inLarge) {
        small.notePeak(inSmall);
        large.notePeak(inLarge);
        all.notePeak(inSmall + inLarge);
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
