package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a chain of modules takes. */
record PlayedChain(Map<Phase, Long> allocated, Map<Phase, Long> peaks, List<String> warnings) {
    /** Plays a run; bytes at the end of the phases of the last step, and warnings about checkpoints. */
    static PlayedChain play(Graph graph, Scenario run) {
        Prediction played = Predictor.predict(new PredictionRequest(graph, run));
        Map<Phase, Long> allocated = new HashMap<>();
        Map<Phase, Long> peaks = new HashMap<>();
        for (PhaseMemory p : played.phases()) {
            allocated.put(p.phase(), p.allocated());
            peaks.put(p.phase(), p.maxAllocated());
        }
        return new PlayedChain(
                allocated,
                peaks,
                played.warnings().stream().filter(w -> w.contains("checkpoint")).toList());
    }
}
