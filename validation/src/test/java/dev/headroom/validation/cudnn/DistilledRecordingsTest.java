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
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs with the workspaces that the real cuDNN asked for, predicted by rules alone. */
class DistilledRecordingsTest {
    private static final double MOST_ALLOCATED = 0.01;
    private static final double MOST_RESERVED = 0.03;

    static Stream<Recording> recordings() {
        return AskedWorkspacesTest.recordings();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void peaksAreClose(Recording recording) {
        RecordedRun run = new RecordedRun(recording);
        PredictionRequest request = run.request(run.archive(Fixtures.models()).orElseThrow());
        request.run().workspaces = TrainingRun.Workspaces.DISTILLED;
        Prediction prediction = Predictor.predict(request);
        Comparison comparison = Comparison.of(recording, prediction);
        System.err.printf(
                "DIST %s alloc %.5f reserved %.5f%n",
                recording.name(), comparison.worstAllocated(), comparison.worstReserved());
        if (!recording.name().contains("-cl"))
            assertEquals(
                    Set.of("distilled"), prediction.convolutions().answered().keySet());
        assertTrue(comparison.worstReserved() <= MOST_RESERVED, () -> "reserved " + comparison.worstReserved());
    }
}
