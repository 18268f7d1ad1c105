package dev.headroom.validation.certainty;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Risk;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.published.XmemRow;
import java.util.List;
import java.util.Objects;

/**
 * A run of the xMem repository and what was predicted of it, with the workspaces that ship with Headroom, so that every
 * machine gets the same.
 *
 * @param span predicted reserved memory
 */
public record MeasuredRun(XmemRow row, Prediction prediction, Span span) implements Scored {
    /** Every published run, predicted once. */
    public static List<MeasuredRun> all() {
        return Predicted.ALL;
    }

    /** Runs whose bytes can be compared: they got through, and the prediction said so. */
    public static List<MeasuredRun> comparable() {
        return all().stream().filter(MeasuredRun::gotThrough).toList();
    }

    private static MeasuredRun of(XmemRow row) {
        PredictionRequest asked = row.request();
        Scenario distilled = asked.scenario().with(CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.DISTILLED));
        return of(row, Predictor.predict(asked.with(distilled)));
    }

    /** Beside a prediction of the run. */
    public static MeasuredRun of(XmemRow row, Prediction p) {
        return new MeasuredRun(row, p, p.certainty().reserved());
    }

    private boolean gotThrough() {
        return !row.oom() && prediction.oom() == null;
    }

    /** The probability of running out of memory that others calibrated. */
    public double risk(Deviations others) {
        Certainty c = prediction.certainty();
        List<DeviceLine> beside = c.lines().subList(1, c.lines().size());
        Span free = Certainty.free(beside, row.totalBytes(), row.totalBytes());
        return new Risk(Objects.requireNonNull(c.needed()), free, null).probability(others);
    }

    private static final class Predicted {
        static final List<MeasuredRun> ALL =
                XmemRow.all().parallelStream().map(MeasuredRun::of).toList();
    }
}
