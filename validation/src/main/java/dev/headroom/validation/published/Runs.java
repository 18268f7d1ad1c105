package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Puts the questions of the published systems together. */
final class Runs {
    private Runs() {}

    /** @param archive path in {@code models}, without its ending */
    static PredictionRequest request(String archive, String gpu, UnaryOperator<Scenario> options) {
        return request(archive, gpu, null, 0, options);
    }

    /**
     * A question about a card that others use, too.
     *
     * @param memory bytes that the source names, or {@code null} for the catalogue's
     * @param inUse bytes taken by others
     */
    static PredictionRequest request(
            String archive, String gpu, @Nullable Long memory, long inUse, UnaryOperator<Scenario> options) {
        Scenario run = options.apply(
                Scenario.defaults().with(OPTIMIZER, OptimizerKind.ADAM).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE));
        return new PredictionRequest(
                Importers.read(Fixtures.models().resolve(archive + ".pt2")),
                run.withDevice(new DeviceBudget(GpuCatalogue.find(gpu).orElseThrow(), memory, inUse, null)));
    }

    static Prediction predict(PredictionRequest request) {
        return Predictor.predict(request);
    }
}
