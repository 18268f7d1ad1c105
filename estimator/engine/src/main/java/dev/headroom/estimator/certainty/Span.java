package dev.headroom.estimator.certainty;

/**
 * Bytes between two ends that were played; equal where nothing is uncertain.
 *
 * @param low the least
 * @param high the most
 */
public record Span(long low, long high) {
    /** @throws IllegalArgumentException when the ends are not in order */
    public Span {
        if (low > high) {
            throw new IllegalArgumentException("a span from " + low + " to " + high);
        }
    }

    /** What lies between two values in any order. */
    public static Span between(long one, long other) {
        return new Span(Math.min(one, other), Math.max(one, other));
    }

    /** With a further value in it. */
    public Span with(long bytes) {
        return new Span(Math.min(low, bytes), Math.max(high, bytes));
    }

    /** Nothing of it above a value, as far as this is possible. */
    public Span atMost(long bytes) {
        return new Span(Math.min(low, bytes), Math.min(high, bytes));
    }

    /** Both ends moved. */
    public Span plus(long toLow, long toHigh) {
        return new Span(low + toLow, high + toHigh);
    }

    /** Half way. */
    public long middle() {
        return low + (high - low) / 2;
    }
}
