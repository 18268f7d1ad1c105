package dev.headroom.model.deepspeed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.ParallelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import org.junit.jupiter.api.Test;

class DeepSpeedScenarioTest {
    private static final String WHOLE = """
            {"fp16": {"enabled": true}, "train_batch_size": 64, "gradient_accumulation_steps": 2,
             "optimizer": {"type": "AdamW", "params": {}}, "zero_optimization": {"stage": 3}}
            """;

    private static Scenario eightRanks(String json) {
        return Scenario.defaults().with(ParallelSettings.WORLD, 8).with(ParallelSettings.DS_CONFIG, json);
    }

    @Test
    void fillsWhatOptionsLeaveOpen() {
        Scenario run = DeepSpeedScenario.complete(eightRanks(WHOLE));
        assertEquals(ParallelKind.ZERO3, run.parallel().kind());
        assertEquals(DType.FLOAT16, run.precision().dtype());
        assertEquals(4, run.sizes().batch());
        assertEquals(2, run.loop().accumulate());
        assertTrue(run.optimizer().fused());
    }

    @Test
    void withoutJsonNothingChanges() {
        assertSame(Scenario.defaults(), DeepSpeedScenario.complete(Scenario.defaults()));
    }

    @Test
    void optionsThatDisagreeAreRefused() {
        Scenario run = eightRanks(WHOLE);
        refused(run.with(ParallelSettings.PARALLEL, ParallelKind.ZERO1), "`parallel` is zero1");
        refused(run.with(ScenarioSettings.DTYPE, DType.BFLOAT16), "`dtype` is bf16");
        refused(run.with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD), "`optimizer` is sgd");
        refused(run.with(ScenarioSettings.BATCH, 5L), "`batch` is 5");
        refused(run.with(ScenarioSettings.ACCUMULATE, 3), "`accumulate` is 3");
        refused(run.with(ParallelSettings.WORLD, 7), "cannot be divided");
        refused(eightRanks("{\"zero_optimization\": {\"stage\": 0}}"), "`parallel=ddp`");
    }

    private static void refused(Scenario run, String reason) {
        UserInputException e = assertThrows(UserInputException.class, () -> DeepSpeedScenario.complete(run));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
