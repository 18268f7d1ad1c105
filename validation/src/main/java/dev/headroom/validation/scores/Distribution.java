package dev.headroom.validation.scores;

import java.util.Arrays;

/**
 * What a set of errors looks like; all but the number is NaN when there are none.
 *
 * @param count of values
 * @param median the middle one, or the mean of both middle ones
 * @param ninety nine of ten are no larger: of 10 sorted values the ninth
 * @param worst the largest
 */
public record Distribution(int count, double median, double mean, double ninety, double worst) {
    private static final double NINE_OF_TEN = 0.9;

    /** Of values in any order. */
    public static Distribution of(double... values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int n = sorted.length;
        if (n == 0) {
            return new Distribution(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        }
        return new Distribution(
                n,
                (sorted[(n - 1) / 2] + sorted[n / 2]) / 2,
                Arrays.stream(sorted).average().orElseThrow(),
                sorted[(int) Math.ceil(NINE_OF_TEN * n) - 1],
                sorted[n - 1]);
    }
}
