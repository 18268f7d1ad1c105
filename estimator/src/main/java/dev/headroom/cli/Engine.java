package dev.headroom.cli;

import dev.headroom.graph.Graph;
import dev.headroom.graph.Unwritable;
import dev.headroom.importer.Importers;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.predict.RecordedPrediction;
import dev.headroom.timeline.PlayedRun;
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
record Engine(
        Function<Path, Graph> reader,
        Function<PredictionRequest, Prediction> predictor,
        Function<PredictionRequest, PlayedRun> player,
        BiFunction<PredictionRequest, Path, Prediction> recorder) {
    static final Engine REAL = new Engine(Importers::read, Predictor::predict, PlayedRun::of, Engine::record);

    /** Without files. */
    Engine(Function<Path, Graph> reader, Function<PredictionRequest, Prediction> predictor) {
        this(reader, predictor, PlayedRun::of, (request, unused) -> predictor.apply(request));
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
