package dev.headroom.validation.runs;

/**
 * A run that is not compared.
 *
 * @param source as of an {@link Outcome}
 * @param name the file, or what was run
 */
public record Skipped(String source, String name, Cause cause, String reason) {
    /** Whose fault it is. */
    public enum Cause {
        /** Nobody's: no prediction is like this run. */
        NO_COUNTERPART,
        /** The file's or its archive's. */
        UNREADABLE,
        /** Headroom's. */
        DEFECT
    }
}
