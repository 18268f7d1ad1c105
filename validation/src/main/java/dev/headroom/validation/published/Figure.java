package dev.headroom.validation.published;

import dev.headroom.model.units.Mib;
import dev.headroom.validation.scores.Quantity;
import java.util.Locale;

/**
 * A published figure and Headroom's.
 *
 * @param system such as {@code P1}
 * @param what the row, such as {@code 8 segments, max allocated}
 * @param quantity what of memory it is, or is a difference of
 * @param bound whether only the least that it must be is predicted
 * @param predicted in the unit of the source, which is MiB
 * @param published in MiB, mostly cut to whole ones
 * @param mechanism what the remaining difference comes from, or ""
 */
public record Figure(
        String system,
        String what,
        Quantity quantity,
        boolean bound,
        double predicted,
        double published,
        String mechanism) {

    static Figure of(
            String system, String what, Quantity quantity, long predictedBytes, double published, String mechanism) {
        return new Figure(system, what, quantity, false, Mib.of(predictedBytes), published, mechanism);
    }

    /** The same as the least that it must be. */
    Figure atLeast() {
        return new Figure(system, what + ", at least", quantity, true, predicted, published, mechanism);
    }

    /** Whether it is a bound that the published figure keeps. */
    public boolean kept() {
        return bound && predicted <= published;
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
