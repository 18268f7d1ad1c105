package dev.headroom.validation.certainty;

import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Risk;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.validation.published.XmemRow;
import java.util.List;

/**
 * What another estimator said of a published run, calibrated in the same way as Headroom's predictions: a span of a
 * single number.
 */
record Rival(XmemRow row, Span span, boolean saidOom) implements Scored {
    /** The runs of which an estimator said something. */
    static List<Rival> of(String estimator) {
        return XmemRow.all().stream()
                .filter(r -> r.estimates().containsKey(estimator))
                .map(r -> {
                    XmemRow.Estimate e = r.estimates().get(estimator);
                    long bytes = Math.round(e.bytes());
                    return new Rival(r, new Span(bytes, bytes), e.oom());
                })
                .toList();
    }

    /** Whether bytes can be compared. */
    boolean comparable() {
        return !row.oom() && !saidOom;
    }

    double risk(Deviations others) {
        return new Risk(span, new Span(row.totalBytes(), row.totalBytes()), null).probability(others);
    }
}
