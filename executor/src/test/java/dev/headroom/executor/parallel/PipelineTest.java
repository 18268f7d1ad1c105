package dev.headroom.executor.parallel;

import static dev.headroom.model.scenario.ParallelSettings.MICROBATCHES;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.SCHEDULE;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages learn what the model learns on one device. */
class PipelineTest {
    @ParameterizedTest(name = "{0}, {1} ranks, {2} microbatches")
    @CsvSource({
        "GPipe, 1, 2",
        "GPipe, 2, 1",
        "GPipe, 2, 4",
        "GPipe, 4, 2",
        "1F1B, 1, 2",
        "1F1B, 2, 2",
        "1F1B, 2, 6",
        "1F1B, 3, 4",
        "1F1B, 4, 12",
        "Interleaved1F1B, 1, 2",
        "Interleaved1F1B, 2, 4",
        "Interleaved1F1B, 2, 6",
        "LoopedBFS, 2, 3",
        "LoopedBFS, 1, 3",
    })
    void learnsAsOneDeviceDoes(String schedule, int world, int microbatches) {
        Scenario run = Learning.run().with(BATCH, 12L);
        Learning.Result one = Learning.train(Learning.alone(run), null);
        Scenario piped = run.with(PARALLEL, ParallelKind.PP)
                .with(WORLD, world)
                .with(SCHEDULE, schedule)
                .with(MICROBATCHES, microbatches);
        List<Learning.Result> ranks = Ranks.run(world, group -> Learning.trainStages(piped, group));
        double loss = ranks.stream()
                .mapToDouble(Learning.Result::loss)
                .filter(l -> !Double.isNaN(l))
                .findFirst()
                .orElseThrow();
        assertEquals(one.loss(), loss, 1e-6);
        Set<String> seen = new HashSet<>();
        for (Learning.Result rank : ranks) {
            rank.gradients().forEach((p, g) -> assertArrayEquals(one.gradients().get(p), g, 1e-6, p));
            rank.weights().forEach((p, w) -> assertArrayEquals(one.weights().get(p), w, 1e-6, p));
            seen.addAll(rank.weights().keySet());
        }
        assertEquals(one.weights().keySet(), seen);
    }
}
