package dev.headroom.advisor.plans;

import java.util.function.LongToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the largest size whose risk of running out is small, to within a hundredth. Risk grows with the size, so
 * that what is known of one size tells of all below it or above it; where it crosses the limit is guessed from two
 * sizes before it is looked for.
 */
final class SafeSizeSearch {
    /** Sizes that are guessed before the search goes on step by step. */
    private static final int GUESSES = 4;

    /** Of sizes whose risk is beyond this or its opposite nothing is guessed more precisely. */
    private static final double SURE = 1e-6;

    private final LongToDoubleFunction risk;
    private final long largest;
    private final long step;
    private final long least;
    private final long fine;

    /** The largest size that is known to be safe; {@code null} for none yet. */
    private @Nullable Long safe;

    /** The smallest size that is known to be none. */
    private long unsafe;

    /**
     * @param risk of a size, up to 1
     * @param largest the largest size that fits
     * @param step between sizes; 0 where there is no other
     */
    SafeSizeSearch(LongToDoubleFunction risk, long largest, long step) {
        this.risk = risk;
        this.largest = largest;
        this.step = step;
        this.unsafe = largest + 1;
        this.least = step == 0 || largest % step == 0 ? step : largest % step;
        this.fine = step == 0 ? 0 : Math.max(1, largest / step / 100) * step;
    }

    /**
     * Downwards from the largest: steps grow until a size is safe and halve after that.
     *
     * @return {@code null} when there is none
     */
    @Nullable
    Long find() {
        double most = look(largest);
        if (most <= Largest.RISK) {
            return largest;
        }
        if (step == 0) {
            return null;
        }
        close(most);
        long stride = fine;
        long high = largest;
        long low = Math.max(least, largest - stride);
        while (!isSafe(low)) {
            if (low == least) {
                return null;
            }
            high = low;
            stride *= 2;
            low = Math.max(least, high - stride);
        }
        return Halving.last(low, high, step, fine, this::isSafe);
    }

    private boolean isSafe(long size) {
        if (safe != null && size <= safe) {
            return true;
        }
        return size < unsafe && look(size) <= Largest.RISK;
    }

    private double look(long size) {
        double probability = risk.applyAsDouble(size);
        if (probability <= Largest.RISK) {
            safe = safe == null ? size : Math.max(safe, size);
        } else {
            unsafe = Math.min(unsafe, size);
        }
        return probability;
    }

    /** Brings what is known to be safe and what is not close to each other, with as few looks as may be. */
    private void close(double most) {
        long there = largest;
        double oddsThere = odds(most);
        long here = Math.max(least, largest - 4 * fine);
        for (int guess = 0; guess < GUESSES && here < unsafe && (safe == null || here > safe); guess++) {
            double oddsHere = odds(look(here));
            if (oddsHere == oddsThere || safe != null && unsafe - safe <= fine) {
                return;
            }
            double crossing = here + (odds(Largest.RISK) - oddsHere) * (there - here) / (oddsThere - oddsHere);
            there = here;
            oddsThere = oddsHere;
            here = within(largest - (long) Math.ceil((largest - crossing) / step) * step);
        }
    }

    /** A size strictly between what is known to be safe and what is not, where there is one. */
    private long within(long size) {
        long low = safe == null ? least : safe + step;
        return Math.max(low, Math.min(size, unsafe - step));
    }

    /** The logarithm of the odds: near its middle it goes along a line. */
    private static double odds(double probability) {
        double p = Math.max(SURE, Math.min(1 - SURE, probability));
        return Math.log(p / (1 - p));
    }
}
