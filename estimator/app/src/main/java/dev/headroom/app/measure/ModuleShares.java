package dev.headroom.app.measure;

import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Requested bytes of every module at the peak of allocated memory, predicted beside measured. */
final class ModuleShares {
    /** Parts of the training loop, which stand beside modules. */
    private static final Set<String> LOOP =
            Set.of(Phase.INPUTS.label(), Phase.LOSS.label(), Phase.BACKWARD.label(), Phase.OPTIMIZER.label());

    private static final String STATE = "optimizer_state";

    /** One module, or part of the loop in parentheses. */
    record Share(String module, long predicted, long measured) {
        long larger() {
            return Math.max(predicted, measured);
        }
    }

    private final Map<String, long[]> rows = new LinkedHashMap<>();

    private ModuleShares() {}

    /** In the order of execution, as predicted. */
    static List<Share> of(Comparison c) {
        ModuleShares shares = new ModuleShares();
        boolean stateAtPeak = stateAtPeak(c.predicted());
        for (LayerShare layer : c.predicted().layers()) {
            // A measured optimizer keeps its state for itself, not for the parameters' modules.
            long state = stateAtPeak ? layer.optimizerState() : 0;
            shares.row(layer.module(), layer.operator())[0] += layer.peakShare() - state;
            shares.row("", Phase.OPTIMIZER.label())[0] += state;
        }
        for (MemoryLog.Share s : c.measured().atPeak()) {
            shares.row(s.owner().module(), s.owner().operator())[1] += s.requested();
        }
        List<Share> out = new ArrayList<>();
        shares.rows.forEach((module, bytes) -> {
            if (bytes[0] != 0 || bytes[1] != 0) {
                out.add(new Share(module, bytes[0], bytes[1]));
            }
        });
        return out;
    }

    private long[] row(String module, String operator) {
        String name = !module.isEmpty() ? module : LOOP.contains(operator) ? "(" + operator + ")" : "(model)";
        return rows.computeIfAbsent(name, n -> new long[2]);
    }

    private static boolean stateAtPeak(Prediction p) {
        return p.atPeak().entrySet().stream().anyMatch(e -> e.getKey().key().equals(STATE) && e.getValue() > 0);
    }
}
