package dev.headroom.validation;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import java.util.Arrays;

/** A run whose steps are played from the events of the one before, beside the same with all operators. */
public final class RepeatedRun {
    private RepeatedRun() {}

    /** The first thing that differs; empty when nothing does. */
    public static String difference(PredictionRequest request) {
        Simulation repeated = Predictor.simulate(request);
        Simulation interpreted = Predictor.interpret(request);
        for (int d = 0; d < interpreted.devices().size(); d++) {
            String events = difference(
                    repeated.devices().get(d).log(),
                    interpreted.devices().get(d).log());
            if (!events.isEmpty()) {
                return events;
            }
        }
        return first(
                "phases", repeated.history().equals(interpreted.history()),
                "peak", repeated.peak().equals(interpreted.peak()),
                "end", repeated.events() == interpreted.events(),
                "failure", String.valueOf(repeated.failure()).equals(String.valueOf(interpreted.failure())),
                "parameters", repeated.parameters().equals(interpreted.parameters()),
                "attributions", repeated.attributions().equals(interpreted.attributions()),
                "unmodelled", repeated.unmodelled().equals(interpreted.unmodelled()),
                "collectives", repeated.collectives().equals(interpreted.collectives()),
                "runs of nodes",
                        Arrays.equals(
                                repeated.nodes().executions(),
                                interpreted.nodes().executions()),
                "results of nodes",
                        Arrays.deepEquals(
                                repeated.nodes().results(), interpreted.nodes().results()));
    }

    private static String difference(EventLog a, EventLog b) {
        for (int e = 0; e < Math.min(a.size(), b.size()); e++) {
            String differs = first(
                    "storage", a.storage(e) == b.storage(e),
                    "category", a.category(e) == b.category(e),
                    "running", a.running(e) == b.running(e),
                    "reserved", a.reserved(e) == b.reserved(e));
            if (!differs.isEmpty()) {
                return differs + " of event " + e;
            }
        }
        for (int s = 0; s < Math.min(a.storages(), b.storages()); s++) {
            String differs = first(
                    "bytes", a.requested(s) == b.requested(s),
                    "rounded bytes", a.rounded(s) == b.rounded(s),
                    "maker", a.attribution(s) == b.attribution(s),
                    "stream", a.stream(s) == b.stream(s),
                    "type", a.dtype(s) == b.dtype(s),
                    "sizes", Arrays.equals(a.sizes(s), b.sizes(s)));
            if (!differs.isEmpty()) {
                return differs + " of storage " + s;
            }
        }
        return a.size() == b.size() ? "" : "number of events: " + a.size() + " and " + b.size();
    }

    /** The first of the named things that does not hold. */
    private static String first(Object... namesAndWhether) {
        for (int i = 0; i < namesAndWhether.length; i += 2) {
            if (Boolean.FALSE.equals(namesAndWhether[i + 1])) {
                return (String) namesAndWhether[i];
            }
        }
        return "";
    }
}
