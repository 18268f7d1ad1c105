package dev.headroom.executor.tensor;

/** Seeds for operators that draw random numbers: each call gets another, the same in every run. */
public final class Randomness {
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private long state;

    public Randomness(long seed) {
        state = seed;
    }

    /** The next seed. */
    public long next() {
        state += GOLDEN_RATIO;
        return mixed(state);
    }

    /** Where the sequence stands; a recomputation draws the same numbers again from there. */
    public long state() {
        return state;
    }

    /** Goes back to a {@link #state}. */
    public void restore(long before) {
        state = before;
    }

    /** A well mixed function of a number (SplitMix64's finaliser). */
    public static long mixed(long n) {
        long z = (n ^ n >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
