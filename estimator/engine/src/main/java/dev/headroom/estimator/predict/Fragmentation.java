package dev.headroom.estimator.predict;

import dev.headroom.model.scenario.Scenario;
import java.util.Optional;

/** What is said of a run that fails, though it gets through in less memory: what is free lies in pieces. */
final class Fragmentation {
    private static final String EXPANDABLE = "expandable_segments:True";

    private Fragmentation() {}

    /** Whether a verdict is that no memory is missing and the run fails all the same. */
    private static boolean only(Prediction.Verdict verdict) {
        return Boolean.FALSE.equals(verdict.fits())
                && verdict.headroom() == null
                && verdict.minimumMemory() != null
                && verdict.probabilityOom() != null;
    }

    /** A line, where a run fails for that reason; segments that expand are tried. */
    static Optional<String> line(PredictionRequest request, Prediction.Verdict verdict, Plays plays) {
        if (!only(verdict)) {
            return Optional.empty();
        }
        String why = "memory runs out though the run gets through in less: what is free lies in pieces, none of which"
                + " holds the request";
        Scenario scenario = request.scenario();
        boolean expands = Predictor.settings(request).expandableSegments();
        if (expands || !scenario.torch().allocatorSettings()) {
            return Optional.of(why);
        }
        String conf = scenario.allocConf().isBlank() ? EXPANDABLE : scenario.allocConf() + "," + EXPANDABLE;
        boolean through = plays.run(request.with(scenario.withAllocConf(conf))).oom() == null;
        return Optional.of(why + (through ? "; with" : ", also with") + " `alloc_conf=" + conf + "`"
                + (through ? " it gets through" : ""));
    }
}
