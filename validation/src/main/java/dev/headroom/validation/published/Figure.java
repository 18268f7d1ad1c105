package dev.headroom.validation.published;

import java.util.Locale;

/**
 * A published figure and Headroom's.
 *
 * @param system such as {@code P1}
 * @param what the row, such as {@code 8 segments, max allocated}
 * @param predicted in the unit of the source, which is MiB
 * @param published in MiB, mostly cut to whole ones
 * @param mechanism what the remaining difference comes from, or ""
 */
public record Figure(String system, String what, double predicted, double published, String mechanism) {
    private static final double MIB = 1 << 20;

    static Figure of(String system, String what, long predictedBytes, double published, String mechanism) {
        return new Figure(system, what, predictedBytes / MIB, published, mechanism);
    }

    /** (predicted - published) / published. */
    public double error() {
        return published == 0 ? predicted : (predicted - published) / published;
    }

    /** A row of the report's table. */
    public String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.1f | %.0f | %+.2f %% | %s |",
                system,
                what,
                predicted,
                published,
                100 * error(),
                mechanism);
    }
}
