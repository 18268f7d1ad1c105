package dev.headroom.validation.published;

import dev.headroom.predict.Prediction;
import dev.headroom.predict.Predictor;

/**
 * A published run and Headroom's answer.
 *
 * @param reserved predicted peak of reserved memory, bytes
 * @param oom predicted verdict
 */
public record XmemResult(XmemRow row, long reserved, long allocated, boolean oom) {
    /** Predicts a run. */
    public static XmemResult of(XmemRow row) {
        Prediction p = Predictor.predict(row.request());
        return new XmemResult(row, p.peak().reserved(), p.peak().allocated(), p.oom() != null);
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
