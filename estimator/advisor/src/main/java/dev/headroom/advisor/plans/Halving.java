package dev.headroom.advisor.plans;

import java.util.function.LongPredicate;

/** Halves what lies between a size that does and a larger one that does not. */
final class Halving {
    private Halving() {}

    /**
     * A size that does, so near below one that does not.
     *
     * @param does a size that does, or is taken to
     * @param fails a larger one that does not, whole steps away
     * @param step between sizes
     * @param near how near, a whole number of steps
     * @param test whether a size does
     */
    static long last(long does, long fails, long step, long near, LongPredicate test) {
        long low = does;
        long high = fails;
        while (high - low > near) {
            long middle = middle(low, high, step);
            if (test.test(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The size in the middle of two that are more than a step apart. */
    static long middle(long low, long high, long step) {
        return low + (high - low) / step / 2 * step;
    }
}
