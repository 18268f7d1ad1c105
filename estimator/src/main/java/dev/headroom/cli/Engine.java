package dev.headroom.cli;

import dev.headroom.graph.Graph;
import dev.headroom.importer.Importers;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import java.nio.file.Path;
import java.util.function.Function;

/** What the commands call: replaced in tests of the command line. */
record Engine(Function<Path, Graph> reader, Function<PredictionRequest, Prediction> predictor) {
    static final Engine REAL = new Engine(Importers::read, Predictor::predict);
}
