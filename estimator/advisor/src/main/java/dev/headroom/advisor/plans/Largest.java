package dev.headroom.advisor.plans;

import org.jspecify.annotations.Nullable;

/**
 * The largest value of an open size with which a run gets through: the next one does not, and neither do a few after
 * it.
 *
 * @param name {@code batch}, or as in {@code --dim}
 * @param value {@code null} when not even the least does
 * @param next the value that was found not to get through, or not to be possible; {@code null} when there is none
 * @param limit why {@code next} is too much
 * @param safe the largest value found whose risk of running out is at most {@link #RISK}; {@code null} when there is
 *     none or it was not looked for
 */
public record Largest(
        String name,
        @Nullable Long value,
        Long next,
        Limit limit,
        @Nullable Long safe) {
    /** One run in twenty: what people call safe enough to start before a night. */
    public static final double RISK = 0.05;

    Largest withSafe(@Nullable Long found) {
        return new Largest(name, value, next, limit, found);
    }

    /** What stands in the way. */
    public enum Limit {
        MEMORY,
        /** The model takes no such size. */
        MODEL
    }
}
