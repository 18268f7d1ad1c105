package dev.headroom.app.sweep;

import dev.headroom.app.ask.Models;
import dev.headroom.app.ask.Question;
import dev.headroom.app.command.ErrorLine;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.SharedPredictor;
import java.util.List;
import java.util.Map;

/** Answers rows, one after the other; a row that cannot be answered says why. Not for several threads at once. */
final class RowAnswers {
    private final Scenarios scenarios;
    private final List<Column> options;
    private final List<Column> columns;
    private final Models models;
    private final SharedPredictor predictor = new SharedPredictor();

    /** @param models may be shared by several threads */
    RowAnswers(Scenarios scenarios, Models models) {
        this.scenarios = scenarios;
        this.options = Column.options(scenarios);
        this.columns = Column.kept(scenarios);
        this.models = models;
    }

    /** The row of a number. */
    Row row(int number) {
        Row row = new Row(columns);
        Map<String, List<String>> texts = scenarios.row(number);
        int at = 0;
        row.put(at++, (long) number);
        for (Column option : options) {
            List<String> given = texts.get(option.name());
            Object cell = given == null
                    ? null
                    : option.kind() == Column.Kind.WHOLE
                            ? (Object) Long.valueOf(given.get(0))
                            : String.join(";", given);
            row.put(at++, cell);
        }
        try {
            Prediction prediction = Question.of(texts).answer(models, predictor::predict);
            for (Answer answer : Answer.ALL) {
                row.put(at++, answer.of().apply(prediction));
            }
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
            row.put(columns.size() - 1, ErrorLine.reason(e));
        }
        return row;
    }
}
