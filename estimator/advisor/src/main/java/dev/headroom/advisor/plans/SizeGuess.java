package dev.headroom.advisor.plans;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import java.util.OptionalLong;

/**
 * Where the search for the largest size begins.
 *
 * @param close whether the requests of runs of about this size say so
 */
record SizeGuess(long size, boolean close) {
    /** Lines that may be drawn: memory follows one over a long way, and then another. */
    private static final int MOST_LINES = 4;

    /** A guess that is off by less than this share of it needs no better line. */
    private static final int NEAR = 64;

    /**
     * Where memory, drawn as a line through two runs with room for anything, meets the room there is, and through ever
     * closer ones as long as it moves.
     *
     * @param forecast of its runs
     * @param start a size
     * @param other one that is not the same
     */
    static SizeGuess of(VariantPlayer player, SizeForecast forecast, long start, long other) {
        long near = start;
        long far = other;
        SizeGuess guess = new SizeGuess(start, false);
        for (int line = 0; line < MOST_LINES; line++) {
            Outcome here = forecast.unbounded(near);
            Outcome there = forecast.unbounded(far);
            double slope = (here.allocated() - there.allocated()) / (double) (near - far);
            if (!here.fits() || !there.fits() || slope <= 0) {
                return new SizeGuess(guess.size(), false);
            }
            long crossing = forecast.above(near, (player.room() - here.allocated()) / slope);
            if (Math.abs(crossing - far) < Math.abs(crossing - near)) {
                long closer = far;
                far = near;
                near = closer;
            }
            OptionalLong likely = forecast.largest(near, far);
            guess = new SizeGuess(likely.orElse(crossing), likely.isPresent());
            boolean told = guess.close || forecast.requests(near).isEmpty();
            if (guess.size == near || told && Math.abs(guess.size - near) <= guess.size / NEAR) {
                break;
            }
            far = near;
            near = guess.size;
        }
        return guess;
    }
}
