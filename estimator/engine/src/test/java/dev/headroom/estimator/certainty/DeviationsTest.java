package dev.headroom.estimator.certainty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Intervals and probabilities from deviations. */
class DeviationsTest {
    private static final long MIB = 1 << 20;

    private static Deviations normal(int n, long seed) {
        Random random = new Random(seed);
        return new Deviations(random.doubles(n).map(x -> random.nextGaussian()).toArray());
    }

    @Test
    void aDeviationIsMeasuredFromTheNearerEnd() {
        Span span = new Span(80 * MIB, 120 * MIB); // around 100 MiB: units of 10 MiB
        assertEquals(0, Deviations.of(span, 80 * MIB));
        assertEquals(0, Deviations.of(span, 119 * MIB));
        assertEquals(2, Deviations.of(span, 140 * MIB));
        assertEquals(-3, Deviations.of(span, 50 * MIB));
    }

    @Test
    void theMarginIsTheRankOfConformalPrediction() {
        double[] nine = IntStream.rangeClosed(1, 9)
                .mapToDouble(i -> i % 2 == 0 ? i : -i)
                .toArray();
        assertEquals(9, new Deviations(nine).margin(0.9));
        assertEquals(5, new Deviations(nine).margin(0.5));
        assertEquals(9, new Deviations(nine).margin(0.99), "the largest where there are too few");
    }

    @Test
    void intervalsHoldAsOftenAsTheySay() {
        int held = 0;
        int tries = 2000;
        Random random = new Random(1);
        for (int i = 0; i < tries; i++) {
            held += Math.abs(random.nextGaussian()) <= normal(30, i).margin(0.9) ? 1 : 0;
        }
        assertEquals(0.9, held / (double) tries, 0.02);
    }

    @Test
    void anIntervalIsTheSpanAndAMarginOnEitherSide() {
        Deviations ones = new Deviations(new double[] {-1, 1, 1, -1, 1, 1, 1, -1, 1, 1});
        assertEquals(new Interval(0.9, 70 * MIB, 130 * MIB), ones.interval(new Span(80 * MIB, 120 * MIB), 0.9));
        assertEquals(0, ones.interval(new Span(0, 2), 0.9).low(), "never below nothing");
    }

    @Test
    void whatIsFarAwayCountsAsMuchAsItsDistributionSays() {
        double[] most = new Random(3).doubles(100, -0.1, 0.1).toArray();
        double[] few = new Random(4).doubles(10, 49, 51).toArray();
        Deviations d = new Deviations(
                DoubleStream.concat(Arrays.stream(most), Arrays.stream(few)).toArray());
        long predicted = 100 * MIB; // units of 10 MiB
        assertEquals(10 / 111.0, d.exceeds(predicted, predicted + 250 * MIB), 1e-4, "few are above, for certain");
        assertEquals(1, d.exceeds(predicted, predicted - 250 * MIB), 1e-4, "and all above this");
    }

    @Test
    void theProbabilityFallsWithTheRoomAndIsNeverNothing() {
        Deviations d = normal(100, 7);
        double last = 1;
        for (long bound = 50 * MIB; bound < 400 * MIB; bound += MIB) {
            double p = d.exceeds(100 * MIB, bound);
            assertTrue(p < last, () -> "at most less room gives more risk");
            last = p;
        }
        assertTrue(last > 0 && last < 0.002, "left " + last);
        assertEquals(0.5, d.exceeds(100 * MIB, 100 * MIB), 0.15);
        assertTrue(d.exceeds(100 * MIB, 50 * MIB) > 0.99);
    }

    @Test
    void riskCountsWhatIsFreeAndTheLimit() {
        Deviations d = normal(100, 3);
        Span needed = new Span(1000 * MIB, 1000 * MIB);
        Span free = new Span(1040 * MIB, 1040 * MIB);
        double plain = new Risk(needed, free, null).probability(d);
        assertEquals(
                plain, new Risk(needed, new Span(0, Long.MAX_VALUE).plus(2000 * MIB, 0), 1040 * MIB).probability(d));
        assertTrue(new Risk(needed, new Span(960 * MIB, 1040 * MIB), null).probability(d) > plain);
        assertTrue(new Risk(new Span(900 * MIB, 1000 * MIB), free, null).probability(d) < plain);
    }

    @Test
    void thePublishedRunsAreTheCalibration() {
        assertTrue(Deviations.published().count() > 100);
        assertTrue(Deviations.published().margin(0.9) > Deviations.published().margin(0.5));
    }
}
