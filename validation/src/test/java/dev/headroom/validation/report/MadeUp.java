package dev.headroom.validation.report;

import dev.headroom.validation.runs.Outcome;
import dev.headroom.validation.runs.Skipped;
import dev.headroom.validation.runs.Validation;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.util.List;
import java.util.Map;

/** A small validation for the tests of reports, with names that would break a page. */
final class MadeUp {
    static final String HOSTILE = "</script><b onload='x'>&\u0001";

    private MadeUp() {}

    static Validation validation() {
        Outcome near = new Outcome(
                "mine",
                HOSTILE,
                "cnn",
                "h200",
                List.of(new Peak(Quantity.RESERVED, 110, 100)),
                new Verdicts.Verdict(false, false, 0.02),
                new Outcome.Interval(0.9, 90, 120, 100),
                List.of(),
                "in " + HOSTILE,
                Map.of(
                        "rival",
                        new Answer(new Peak(Quantity.RESERVED, 150, 100), new Verdicts.Verdict(false, false, null))));
        Outcome wrong = new Outcome(
                "mine",
                "wrong",
                "",
                "",
                List.of(),
                new Verdicts.Verdict(true, false, null),
                null,
                List.of(),
                "",
                Map.of());
        Skipped skipped = new Skipped("mine", HOSTILE, Skipped.Cause.UNREADABLE, HOSTILE);
        return new Validation(List.of(near, wrong), List.of(skipped), 1.5);
    }
}
