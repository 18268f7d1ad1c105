package dev.headroom.advise;

/**
 * The largest value of an open size with which a run gets through: the next one does not, and neither do a few after it.
 *
 * @param name {@code batch}, or as in {@code --dim}
 * @param value {@code null} when not even the least does
 * @param next the value that was found not to get through, or not to be possible; {@code null} when there is none
 * @param limit why {@code next} is too much
 */
public record Largest(String name, Long value, Long next, Limit limit) {
    /** What stands in the way. */
    public enum Limit {
        MEMORY,
        /** The model takes no such size. */
        MODEL
    }
}
