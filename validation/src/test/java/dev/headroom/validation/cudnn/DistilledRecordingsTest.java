package dev.headroom.validation.cudnn;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Runs with the workspaces that the real cuDNN asked for, predicted by rules alone. */
class DistilledRecordingsTest {
    private static final double MOST_ALLOCATED = 0.01;
    private static final double MOST_RESERVED = 0.03;
    /** Of 26. One wrong workspace may split a segment otherwise, which costs more than itself. */
    private static final int WITHIN = 24;

    @Test
    void peaksAreClose() {
        List<Comparison> comparisons = AskedWorkspacesTest.recordings()
                .map(r -> Comparison.of(r, predict(r)))
                .toList();
        comparisons.forEach(c -> assertEquals("", c.structure()));
        assertClose(comparisons, Comparison::worstAllocated, MOST_ALLOCATED);
        assertClose(comparisons, Comparison::worstReserved, MOST_RESERVED);
    }

    private static void assertClose(List<Comparison> comparisons, ToDoubleFunction<Comparison> error, double most) {
        double[] errors = comparisons.stream().mapToDouble(error).sorted().toArray();
        assertTrue(errors[WITHIN - 1] <= most, () -> Arrays.toString(errors));
    }

    private static Prediction predict(Recording recording) {
        RecordedRun run = new RecordedRun(recording);
        PredictionRequest request = run.request(run.archive(Fixtures.models()).orElseThrow());
        CudnnWorkspace distilled =
                request.scenario().kernels().cudnnWorkspace().withSource(Scenario.Workspaces.DISTILLED);
        Prediction prediction =
                Predictor.predict(request.with(request.scenario().with(CUDNN_WORKSPACE, distilled)));
        assertEquals(Set.of("distilled"), prediction.convolutions().answered().keySet());
        return prediction;
    }
}
