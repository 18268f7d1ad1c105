package dev.headroom.validation.runs;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.validation.certainty.MeasuredRun;
import dev.headroom.validation.certainty.ShippedDeviations;
import dev.headroom.validation.published.XmemResult;
import dev.headroom.validation.published.XmemRow;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Verdicts;
import java.util.List;

/**
 * A run of the xMem repository: only its peak, less what the device held at the start, and its verdict are known. As
 * the calibration that ships was made from these runs, the interval and the probability are those that the runs of all
 * other models give.
 */
final class XmemRun implements MeasuredRuns {
    private final XmemRow row;

    XmemRun(XmemRow row) {
        this.row = row;
    }

    @Override
    public String source() {
        return "xmem";
    }

    @Override
    public String name() {
        return row.name();
    }

    @Override
    public List<Outcome> compare() {
        PredictionRequest request = row.request();
        Prediction prediction = Predictor.predict(request);
        XmemResult result = XmemResult.of(row, prediction);
        Answer answer = result.answer();
        Deviations others = ShippedDeviations.withoutModel(row.archive());
        MeasuredRun measured = MeasuredRun.of(row, prediction);
        return List.of(new Outcome(
                source(),
                name(),
                ModelClass.of(request.graph()).label(),
                row.gpu(),
                answer.peak() == null ? List.of() : List.of(answer.peak()),
                new Verdicts.Verdict(row.oom(), result.oom(), measured.risk(others)),
                result.comparable() ? interval(others.interval(measured.span(), Certainty.LEVEL)) : null,
                List.of(),
                "peak predicted in " + prediction.peak().moment().words(),
                row.answers()));
    }

    private Outcome.Interval interval(Interval stated) {
        return new Outcome.Interval(stated.level(), stated.low(), stated.high(), row.ground());
    }
}
