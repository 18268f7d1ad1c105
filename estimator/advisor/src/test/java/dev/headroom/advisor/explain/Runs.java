package dev.headroom.advisor.explain;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** Runs to explain. */
final class Runs {
    private Runs() {}

    /** An archive on a card, with Adam. */
    static PredictionRequest request(String archive, long batch, UnaryOperator<Scenario> options) {
        return request(archive, batch, "v100-16gb", null, options);
    }

    /** @param limit bytes that the allocator may reserve, or {@code null} */
    static PredictionRequest request(
            String archive, long batch, String card, Long limit, UnaryOperator<Scenario> options) {
        Scenario run = options.apply(Scenario.defaults()
                .with(BATCH, batch)
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE));
        Gpu gpu = card == null ? null : GpuCatalogue.find(card).orElseThrow();
        return new PredictionRequest(
                Importers.read(Path.of("../../fixtures/models/" + archive + ".pt2")),
                run.withDevice(new DeviceBudget(gpu, null, 0, limit)));
    }

    static Finding finding(Explanation explanation, String key) {
        return explanation.findings().stream()
                .filter(f -> f.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing said about " + key));
    }

    static long part(Account account, String name) {
        return account.parts().stream()
                .filter(p -> p.name().equals(name))
                .mapToLong(Account.Part::bytes)
                .sum();
    }
}
