package dev.headroom.estimator.compile;

import static dev.headroom.model.scenario.AdapterSettings.LORA;
import static dev.headroom.model.scenario.GenerationSettings.GENERATE;
import static dev.headroom.model.scenario.ModelSettings.CHECKPOINT_OFFLOAD;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.QuantSettings.QUANT;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST_3D;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_BUDGET;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_DYNAMIC;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_MODE;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_REGIONS;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.Kernels.CompileMode;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What does not go with compiling is refused by its name, and goes without. */
class RefusalsTest {
    private static final Graph MODEL = Importers.read(Path.of("../../fixtures/models/mlp-xor.pt2"));

    private static void refused(Scenario run, String name) {
        UserInputException e = assertThrows(UserInputException.class, () -> Refusals.check(MODEL, run), name);
        assertTrue(e.getMessage().contains(name), e.getMessage());
    }

    @Test
    void whatIsOfCompilingNeedsIt() {
        Map<String, Scenario> asked = Map.of(
                "`compile_budget`", Scenario.defaults().with(COMPILE_BUDGET, 0.5),
                "`compile_mode`", Scenario.defaults().with(COMPILE_MODE, CompileMode.REDUCE_OVERHEAD),
                "`compile_dynamic`", Scenario.defaults().with(COMPILE_DYNAMIC, true),
                "`compile_regions`", Scenario.defaults().with(COMPILE_REGIONS, true));
        asked.forEach((name, run) -> {
            refused(run, name);
            assertDoesNotThrow(() -> Refusals.check(MODEL, run.with(COMPILE, true)), name);
        });
    }

    @Test
    void whatDoesNotGoWithCompilingYet() {
        Map<String, Scenario> asked = Map.of(
                "`parallel`", Scenario.defaults().with(PARALLEL, ParallelKind.DDP),
                "adapters", Scenario.defaults().with(LORA, 8),
                "`quant`", Scenario.defaults().with(QUANT, QuantKind.NF4),
                "segments of `checkpoint`", Scenario.defaults().with(CHECKPOINT, 2),
                "`checkpoint_offload`", Scenario.defaults().with(CHECKPOINT_OFFLOAD, true),
                "`channels_last_3d`", Scenario.defaults().with(CHANNELS_LAST_3D, true),
                "`generate`", Scenario.defaults().with(GENERATE, 4));
        asked.forEach((name, run) -> {
            assertDoesNotThrow(() -> Refusals.check(MODEL, run), name);
            refused(run.with(COMPILE, true), name);
        });
        assertDoesNotThrow(() -> Refusals.check(MODEL, Scenario.defaults().with(COMPILE, true)));
    }
}
