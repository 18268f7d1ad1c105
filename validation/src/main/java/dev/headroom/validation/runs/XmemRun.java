package dev.headroom.validation.runs;

import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.validation.published.XmemResult;
import dev.headroom.validation.published.XmemRow;
import dev.headroom.validation.scores.Answer;
import java.util.List;

/** A run of the xMem repository: only its peak, less what the device held at the start, and its verdict are known. */
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
        Answer answer = XmemResult.of(row, prediction).answer();
        return List.of(new Outcome(
                source(),
                name(),
                ModelClass.of(request.graph()).label(),
                row.gpu(),
                answer.peak() == null ? List.of() : List.of(answer.peak()),
                answer.verdict(),
                null,
                List.of(),
                "",
                row.answers()));
    }
}
