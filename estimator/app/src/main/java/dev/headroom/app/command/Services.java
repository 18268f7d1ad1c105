package dev.headroom.app.command;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.RecordedPrediction;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What the commands call: replaced in tests of the command line.
 *
 * @param player predicts, and keeps the run
 * @param recorder predicts, and writes the run to a file as a snapshot
 */
record Services(
        BiFunction<Path, Scenario, Graph> reader,
        Function<PredictionRequest, Prediction> predictor,
        Function<PredictionRequest, PlayedRun> player,
        BiFunction<PredictionRequest, Path, Prediction> recorder) {
    static final Services REAL = new Services(Importers::read, Predictor::predict, PlayedRun::of, Services::record);

    /** Without files. */
    Services(Function<Path, Graph> reader, Function<PredictionRequest, Prediction> predictor) {
        this(
                (file, unused) -> reader.apply(file),
                predictor,
                PlayedRun::of,
                (request, unused) -> predictor.apply(request));
    }

    private static Prediction record(PredictionRequest request, Path out) {
        RecordedPrediction recorded = RecordedPrediction.of(request);
        try {
            recorded.snapshot().write(out);
        } catch (IOException e) {
            throw Unwritable.of("--snapshot", out, e);
        }
        return recorded.prediction();
    }
}
