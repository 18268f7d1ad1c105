package dev.headroom.validation.finetune;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.validation.TraceComparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What differs between a recording of fine-tuning and its prediction.
 *
 * @param differences a line for each phase that differs, is missing or is too many; empty when all are equal
 * @param trace the first event that differs; "" where none does or there is no trace
 * @param predicted the last phase
 */
public record FinetuneComparison(Recording recording, List<String> differences, String trace, PhaseMemory predicted) {
    /** Plays a recording's run. */
    public static FinetuneComparison of(Recording recording) {
        return of(recording, new FinetuneRun(recording).request());
    }

    /** Plays the run that a recording is of. */
    public static FinetuneComparison of(Recording recording, PredictionRequest request) {
        Simulation played = Predictor.simulate(request);
        List<String> differences = differences(recording.phases(), played.phases());
        String recordedEnd = recording.oom().path("during").asText("");
        String end = played.oom() == null ? "" : played.oom().moment().words();
        boolean between = recordedEnd.startsWith("after ") && !end.isEmpty(); // the recorder names what went before
        if (!recordedEnd.equals(end) && !between) {
            differences.add("out of memory: recorded '" + recordedEnd + "', predicted '" + end + "'");
        }
        String trace = "";
        if (recording.trace().isArray()) {
            TraceComparison events = TraceComparison.of(recording, played);
            trace = events.equal() ? "" : events.report(12);
        }
        List<PhaseMemory> phases = played.phases();
        return new FinetuneComparison(recording, differences, trace, phases.get(phases.size() - 1));
    }

    private static List<String> differences(List<Recording.Phase> recorded, List<PhaseMemory> predicted) {
        Map<String, PhaseMemory> byLabel = new LinkedHashMap<>();
        predicted.forEach(p -> byLabel.put(p.moment().label(), p));
        List<String> out = new ArrayList<>();
        for (Recording.Phase r : recorded) {
            PhaseMemory p = byLabel.remove(r.label());
            boolean known = Phase.of(r.phase()).isPresent();
            if (p == null && known) {
                out.add(r.label() + ": not predicted");
            } else if (p != null && !same(r, p)) {
                out.add(String.format(
                        Locale.ROOT,
                        "%s: allocated %d %+d, reserved %d %+d, max_allocated %d %+d, max_reserved %d %+d",
                        r.label(),
                        r.allocated(),
                        p.allocated() - r.allocated(),
                        r.reserved(),
                        p.reserved() - r.reserved(),
                        r.maxAllocated(),
                        p.maxAllocated() - r.maxAllocated(),
                        r.maxReserved(),
                        p.maxReserved() - r.maxReserved()));
            }
        }
        byLabel.keySet().forEach(label -> out.add(label + ": not recorded"));
        return out;
    }

    private static boolean same(Recording.Phase r, PhaseMemory p) {
        return r.allocated() == p.allocated()
                && r.reserved() == p.reserved()
                && r.maxAllocated() == p.maxAllocated()
                && r.maxReserved() == p.maxReserved();
    }

    /** Whether nothing differs. */
    public boolean equal() {
        return differences.isEmpty() && trace.isEmpty();
    }

    /** The recording's last phase. */
    public Recording.Phase recorded() {
        return recording.phases().get(recording.phases().size() - 1);
    }
}
