package dev.headroom.validation.certainty;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.validation.published.XmemRow;

/** A published run and the span that an estimator gave for it. */
interface Scored {
    XmemRow row();

    Span span();

    /** How far the measurement lay outside of the span. */
    default double deviation() {
        return Deviations.of(span(), row().ground());
    }

    /** The interval that others calibrated. */
    default Interval interval(Deviations others) {
        return others.interval(span(), Certainty.LEVEL);
    }

    /** Whether the measurement lies in the interval that others calibrated. */
    default boolean covered(Deviations others) {
        return interval(others).low() <= row().ground() && !above(others);
    }

    /** Whether the measurement lies above the interval that others calibrated. */
    default boolean above(Deviations others) {
        return row().ground() > interval(others).high();
    }

    /** Width of the interval that others calibrated, in bytes. */
    default double width(Deviations others) {
        return interval(others).high() - interval(others).low();
    }
}
