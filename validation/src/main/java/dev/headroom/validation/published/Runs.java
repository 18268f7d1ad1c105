package dev.headroom.validation.published;

import dev.headroom.device.GpuCatalogue;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.importer.Importers;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.training.OptimizerKind;
import dev.headroom.training.TrainingRun;
import java.util.function.Consumer;

/** Puts the questions of the published systems together. */
final class Runs {
    private Runs() {}

    /** @param archive path in {@code models}, without its ending */
    static PredictionRequest request(String archive, String gpu, Consumer<TrainingRun> options) {
        return request(archive, gpu, null, 0, options);
    }

    /**
     * A question about a card that others use, too.
     *
     * @param memory bytes that the source names, or {@code null} for the catalogue's
     * @param inUse bytes taken by others
     */
    static PredictionRequest request(
            String archive, String gpu, Long memory, long inUse, Consumer<TrainingRun> options) {
        TrainingRun run = new TrainingRun();
        run.optimizer = OptimizerKind.ADAM;
        run.cudnnWorkspace = 0L;
        options.accept(run);
        return new PredictionRequest(
                Importers.read(Fixtures.models().resolve(archive + ".pt2")),
                run,
                GpuCatalogue.find(gpu).orElseThrow(),
                memory,
                inUse,
                null);
    }

    static Prediction predict(PredictionRequest request) {
        return Predictor.predict(request);
    }
}
