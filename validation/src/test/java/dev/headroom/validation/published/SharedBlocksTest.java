package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.Comparison;
import dev.headroom.validation.RecordedRun;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that several re-entrant checkpoints share, against recordings of PyTorch. */
class SharedBlocksTest {
    @ParameterizedTest
    @ValueSource(strings = {"two", "three", "every-other", "every"})
    void everyPhaseIsExact(String blocks) {
        String name = "published/perceptron-" + blocks;
        Recording recording = Recording.read(Fixtures.recordings().resolve(name + "-b20000.json.gz"));
        PredictionRequest request =
                new RecordedRun(recording).request(Fixtures.models().resolve(name + ".pt2"));
        Scenario placed = request.scenario().withCheckpointing(new Checkpointing(0, List.of("blocks.*"), true));
        Comparison comparison = Comparison.of(recording, Predictor.predict(request.with(placed)));
        assertEquals("", comparison.structure());
        assertEquals(12, comparison.rows().size());
        comparison.rows().forEach(row -> assertTrue(row.exact(), row::difference));
        assertEquals(0, comparison.worstReserved(), comparison::firstDivergence);
    }
}
