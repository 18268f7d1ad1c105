package dev.headroom.app.report;

import dev.headroom.estimator.predict.Prediction;
import java.util.List;

/** The verdict of a prediction in words, for readers other than a terminal. */
public final class VerdictText {
    private VerdictText() {}

    /** The verdict, and below it where memory ran out and what is needed; lines are not wrapped. */
    public static List<String> lines(Prediction p) {
        return Verdict.lines(p, Style.PLAIN, 10_000).stream().map(String::strip).toList();
    }
}
