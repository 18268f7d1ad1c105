package dev.headroom.validation.published;

import java.util.Arrays;

/** The middle of values. */
final class Medians {
    private Medians() {}

    /** @return NaN of none */
    static double of(double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
