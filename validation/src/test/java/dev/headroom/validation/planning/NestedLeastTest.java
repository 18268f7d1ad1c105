package dev.headroom.validation.planning;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.checkpoints.CheckpointPlanner;
import dev.headroom.advisor.checkpoints.CheckpointPlans;
import dev.headroom.advisor.checkpoints.NestedLeast;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the real PyTorch needed with checkpoints within checkpoints ({@code fixtures/planning}). */
class NestedLeastTest {
    private static final long MIB = 1 << 20;
    private static final int BATCH = 4;

    /** Allocated bytes by plan. */
    private static Map<String, Long> recorded(String model) throws IOException {
        Map<String, Long> out = new HashMap<>();
        for (String line : Files.readAllLines(Fixtures.folder().resolve("planning/nested.csv"))) {
            String[] cells = line.split(",");
            if (cells[0].equals(model) && Integer.parseInt(cells[1]) == BATCH) {
                out.put(cells[2], Long.parseLong(cells[3]));
            }
        }
        return out;
    }

    private static String text(List<NestedLeast.Checkpoint> plan) {
        return plan.stream().map(c -> c.modules() + "{" + text(c.inner()) + "}").collect(Collectors.joining(" "));
    }

    /** The model of costs knows blocks as they were asked for; the allocator leaves up to 1 MiB in one unsplit. */
    @ParameterizedTest
    @ValueSource(strings = {"unet-i256", "llama-1b-like-s2048"})
    void pytorchSavesWhatThePlanPromises(String model) throws IOException {
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.BATCH, (long) BATCH)
                .with(STEPS, 2)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        CheckpointPlans plans = CheckpointPlanner.plan(
                new PredictionRequest(Importers.read(Fixtures.models().resolve(model + ".pt2")), run));
        Map<String, Long> recorded = recorded(model);
        NestedLeast nested = plans.nestedLeast();
        Long with = recorded.get(text(nested.checkpoints()));
        assertNotNull(with, () -> "not recorded: " + text(nested.checkpoints()));
        assertEquals(1, (double) nested.peakAllocated() / with, 0.01);
        String leanest = plans.leanest().modules().stream().map(m -> m + "{}").collect(Collectors.joining(" "));
        Long without = recorded.get(leanest);
        assertNotNull(without, () -> "not recorded: " + leanest);
        assertEquals(plans.leanest().peakAllocated(), without);
        assertEquals(nested.saves(), without - with, MIB);
        assertTrue(nested.saves() > 60 * MIB);
    }
}
