package dev.headroom.app.report;

import dev.headroom.app.words.Door;
import dev.headroom.estimator.predict.Prediction;
import java.util.List;

/** The verdict of a prediction in words, for readers other than a terminal. */
public final class VerdictText {
    private VerdictText() {}

    /** The verdict, and below it where memory ran out and what is needed; lines are not wrapped. */
    public static List<String> lines(Prediction p) {
        return lines(p, Door.here());
    }

    /** The same for users of a door. */
    public static List<String> lines(Prediction p, Door door) {
        return Verdict.lines(p, door, Style.PLAIN, 10_000).stream()
                .map(String::strip)
                .toList();
    }
}
