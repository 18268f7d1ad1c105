package dev.headroom.validation.real;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.Moment;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs on a real H100 with ever less memory: where they fail, and what they reserve where they get through. */
class MeasuredLimitsTest {
    private static final Path FOLDER = Fixtures.recordings().resolve("h100");

    /** So far from the least limit, as a share, predictions of convolutional networks may be wrong. */
    private static final double NEAR = 0.01;

    static List<CsvRows.Row> rows() {
        return CsvRows.read(FOLDER.resolve("limits.csv")).rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void failsWhereItFailed(CsvRows.Row row) {
        boolean convolves = row.text("recording").matches("(resnet|mobilenet).*");
        long limit = row.number("limit");
        boolean completes = Boolean.parseBoolean(row.text("completes"));
        long spared = convolves ? (long) (limit * NEAR) : 0;
        Simulation run = within(row.text("recording"), completes ? limit + spared : limit - spared);
        assertEquals(completes, run.oom() == null);
        if (!convolves) {
            assertEquals(row.number("max_reserved"), run.maxReserved());
            assertEquals(row.number("max_allocated"), run.maxAllocated());
            assertEquals(row.text("during"), completes ? "" : during(run));
        }
    }

    private static String during(Simulation failed) {
        Moment moment = Objects.requireNonNull(failed.oom()).moment();
        return moment.phase().name().toLowerCase(Locale.ROOT) + " of step " + moment.step();
    }

    private static Simulation within(String recording, long limit) {
        RecordedRun recorded = new RecordedRun(Recording.read(FOLDER.resolve(recording + ".json.gz")));
        PredictionRequest request =
                recorded.request(recorded.archive(Fixtures.models()).orElseThrow());
        Scenario run = request.scenario();
        return Predictor.simulate(request.with(run.with(STEPS, 3)
                .with(CUDNN_WORKSPACE, run.kernels().cudnnWorkspace().withSource(Scenario.Workspaces.DISTILLED))
                .withDevice(run.device().withLimit(limit))));
    }
}
