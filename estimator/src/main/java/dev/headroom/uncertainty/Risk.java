package dev.headroom.uncertainty;

/**
 * The probability that memory runs out.
 *
 * @param needed what the allocator must at least be able to reserve for the run to get through, bytes
 * @param beside what the process takes beside that: the bounds of CUDA's context and libraries
 * @param room what of the device the process may take
 * @param limit what the allocator may reserve, or {@code null}
 */
public record Risk(Span needed, Span beside, long room, Long limit) {
    /** Points at which a span is looked at, each as likely as the others. */
    private static final int POINTS = 8;

    /** The tail of the calibrated distribution at the capacity, over everything that lies within the bounds. */
    public double probability(Deviations deviations) {
        double sum = 0;
        int cases = 0;
        for (long bytes : points(needed)) {
            for (long other : points(beside)) {
                long most = limit == null ? room - other : Math.min(limit, room - other);
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
