package dev.headroom.validation.published;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import org.jspecify.annotations.Nullable;

/**
 * A published run and Headroom's answer.
 *
 * @param reserved predicted peak of reserved memory, bytes
 * @param atStart predicted reserved memory when the model, and what its optimizer makes at once, are on the card
 * @param oom predicted verdict
 * @param probabilityOom that was stated, or {@code null}
 */
public record XmemResult(
        XmemRow row,
        long reserved,
        long allocated,
        long atStart,
        boolean oom,
        @Nullable Double probabilityOom) {
    private static final long LIBRARIES = 128L << 20;

    /** Predicts a run. */
    public static XmemResult of(XmemRow row) {
        return of(row, Predictor.predict(row.request()));
    }

    /** Reads the answer off a prediction of the run. */
    public static XmemResult of(XmemRow row, Prediction p) {
        return new XmemResult(
                row,
                p.peak().reserved(),
                p.peak().allocated(),
                p.phases().get(0).reserved(),
                p.oom() != null,
                p.verdict().probabilityOom());
    }

    /** For scores. */
    public Answer answer() {
        return new Answer(
                comparable() ? new Peak(Quantity.RESERVED, reserved, row.ground()) : null,
                new Verdicts.Verdict(row.oom(), oom, probabilityOom));
    }

    /** (predicted - measured) / measured, of runs that got through. */
    public double error() {
        return (reserved - row.ground()) / (double) row.ground();
    }

    /**
     * Whether measured and predicted bytes agree but for what is not known of the measurement: its base line was read
     * while the model was moved to the card, so that part of it may be missing, and up to 128 MiB of library kernels
     * count.
     */
    public boolean explained() {
        long difference = reserved - row.ground();
        long missing = row.kind().equals("cnn") ? atStart : 0;
        return difference >= -LIBRARIES && difference <= missing;
    }

    /** Whether both got through, so that their bytes can be compared. */
    public boolean comparable() {
        return !row.oom() && !oom;
    }
}
