package dev.headroom.validation.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.training.TrainingRun;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Runs with the workspaces that the real cuDNN asked for, predicted by rules alone. */
class DistilledRecordingsTest {
    private static final double MOST_ALLOCATED = 0.01;
    private static final double MOST_RESERVED = 0.03;
    /** Of 26. One wrong workspace may split a segment otherwise, which costs more than itself. */
    private static final int WITHIN_RESERVED = 20;

    private static final double WORST_RESERVED = 0.07;

    @Test
    void peaksAreClose() {
        List<Comparison> comparisons = AskedWorkspacesTest.recordings()
                .map(r -> Comparison.of(r, predict(r)))
                .toList();
        for (Comparison comparison : comparisons) {
            assertEquals("", comparison.structure());
            assertTrue(comparison.worstAllocated() <= MOST_ALLOCATED, comparison::firstDivergence);
            assertTrue(comparison.worstReserved() <= WORST_RESERVED, comparison::firstDivergence);
        }
        long close = comparisons.stream()
                .filter(c -> c.worstReserved() <= MOST_RESERVED)
                .count();
        assertTrue(close >= WITHIN_RESERVED, () -> close + " of " + comparisons.size());
    }

    private static Prediction predict(Recording recording) {
        RecordedRun run = new RecordedRun(recording);
        PredictionRequest request = run.request(run.archive(Fixtures.models()).orElseThrow());
        request.run().workspaces = TrainingRun.Workspaces.DISTILLED;
        Prediction prediction = Predictor.predict(request);
        assertEquals(Set.of("distilled"), prediction.convolutions().answered().keySet());
        return prediction;
    }
}
