package dev.headroom.validation.report;

import java.util.Locale;

/** Shares and errors for people. */
public final class Percent {
    private static final double HUNDRED = 100;

    private Percent() {}

    /** {@code 1.25 %}, or {@code -} for NaN. */
    public static String of(double share) {
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.2f %%", HUNDRED * share);
    }

    /** {@code +1.25 %}. */
    public static String signed(double share) {
        return String.format(Locale.ROOT, "%+.2f %%", HUNDRED * share);
    }
}
