package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.plan.PlanReader;
import dev.headroom.model.scenario.ParallelSettings;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A user's own plan makes a rank take what the recorded rank took, event by event. */
class TensorPlanTest {
    @ParameterizedTest
    @CsvSource({"rows,net", "sp,net", "colembed,net", "uneven,net-uneven", "uneven3,net-uneven"})
    void everyEventIsTheRecordedOne(String name, String model) {
        Path folder = Fixtures.recordings().resolveSibling("plans");
        Recording recording = Recording.read(folder.resolve(name + ".json.gz"));
        PredictionRequest usual = new RecordedRun(recording).request(folder.resolve(model + ".pt2"));
        PredictionRequest planned = new PredictionRequest(
                usual.graph(),
                usual.scenario().with(ParallelSettings.TP_PLAN, PlanReader.read(folder.resolve(name + ".plan.json"))));
        TraceComparison comparison = TraceComparison.of(recording, Predictor.simulate(planned));
        assertTrue(comparison.equal(), () -> comparison.report(10));
    }
}
