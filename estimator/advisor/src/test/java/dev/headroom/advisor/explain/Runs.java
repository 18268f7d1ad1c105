package dev.headroom.advisor.explain;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Runs to explain. */
final class Runs {
    private Runs() {}

    /** An archive on a card, with Adam. */
    static PredictionRequest request(String archive, long batch, Consumer<Scenario> options) {
        return request(archive, batch, "v100-16gb", null, options);
    }

    /** @param limit bytes that the allocator may reserve, or {@code null} */
    static PredictionRequest request(String archive, long batch, String card, Long limit, Consumer<Scenario> options) {
        Scenario run = new Scenario();
        run.batch = batch;
        run.optimizer = OptimizerKind.ADAM;
        run.cudnnWorkspace = 0L;
        options.accept(run);
        Gpu gpu = card == null ? null : GpuCatalogue.find(card).orElseThrow();
        return new PredictionRequest(
                Importers.read(Path.of("../../fixtures/models/" + archive + ".pt2")), run, gpu, null, 0, limit);
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
