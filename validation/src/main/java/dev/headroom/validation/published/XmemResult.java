package dev.headroom.validation.published;

import dev.headroom.predict.Prediction;
import dev.headroom.predict.Predictor;

/**
 * A published run and Headroom's answer.
 *
 * @param reserved predicted peak of reserved memory, bytes
 * @param oom predicted verdict
 */
public record XmemResult(XmemRow row, long reserved, long allocated, long atStart, boolean oom) {
    /** Predicts a run. */
    public static XmemResult of(XmemRow row) {
        var q = row.request();
        if (System.getProperty("ws") != null) q.run().cudnnWorkspace = Long.valueOf(System.getProperty("ws"));
        if (System.getProperty("nb") != null) q.run().newBatches = false;
        Prediction p = Predictor.predict(q);
        return new XmemResult(
                row,
                p.peak().reserved(),
                p.peak().allocated(),
                p.phases().get(0).reserved(),
                p.oom() != null);
    }

    /** (predicted - measured) / measured, of runs that got through. */
    public double error() {
        return (reserved - row.ground()) / (double) row.ground();
    }

    /** Whether both got through, so that their bytes can be compared. */
    public boolean comparable() {
        return !row.oom() && !oom;
    }
}
