package dev.headroom.estimator.certainty;

import org.jspecify.annotations.Nullable;

/**
 * The probability that memory runs out.
 *
 * @param needed what the allocator must at least be able to reserve for the run to get through, bytes
 * @param free what the allocator can get of the device, between the bounds of what others, CUDA's context and libraries
 *     take, and of the card's size where only the nominal one is known
 * @param limit what the allocator may reserve, or {@code null}
 */
public record Risk(Span needed, Span free, @Nullable Long limit) {
    /** Points at which a span is looked at, each as likely as the others. */
    private static final int POINTS = 8;

    /** The tail of the calibrated distribution at the capacity, over everything that lies within the bounds. */
    public double probability(Deviations deviations) {
        double sum = 0;
        int cases = 0;
        for (long bytes : points(needed)) {
            for (long room : points(free)) {
                long most = limit == null ? room : Math.min(limit, room);
                sum += deviations.exceeds(bytes, most);
                cases++;
            }
        }
        return sum / cases;
    }

    private static long[] points(Span span) {
        if (span.low() == span.high()) {
            return new long[] {span.low()};
        }
        long[] points = new long[POINTS];
        for (int i = 0; i < POINTS; i++) {
            points[i] = span.low() + Math.round((i + 0.5) / POINTS * (span.high() - span.low()));
        }
        return points;
    }
}
