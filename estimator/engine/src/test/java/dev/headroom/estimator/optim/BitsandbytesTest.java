package dev.headroom.estimator.optim;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

class BitsandbytesTest {
    private static final long WEIGHT = 100_000;
    private static final long BIAS = 100;
    private static final long BLOCKS = 391; // of 256 elements

    private static Scenario run(OptimizerKind kind) {
        return Scenario.defaults().with(BATCH, 2L).with(OPTIMIZER, kind);
    }

    private static Prediction predict(Scenario run) {
        Graph graph = Model.of("m", Sequential.of(Layers.linear(1000, 100)))
                .input("x", DType.FLOAT32, Model.BATCH, 1000)
                .graph();
        return Predictor.predict(new PredictionRequest(graph, run));
    }

    private static long state(OptimizerKind kind) {
        return predict(run(kind)).layers().stream()
                .mapToLong(LayerShare::optimizerState)
                .sum();
    }

    @Test
    void largeParametersTakeAByteAnElementAndScalesSmallOnesFour() {
        long table = 256 * 4;
        assertEquals(2 * (WEIGHT + BLOCKS * 4 + BIAS * 4 + table), state(OptimizerKind.ADAMW_8BIT));
        assertEquals(WEIGHT + BLOCKS * 4 + BIAS * 4 + table, state(OptimizerKind.LION_8BIT));
        assertEquals(3 * (WEIGHT + BLOCKS * 4 + BIAS * 4) + 2 * table, state(OptimizerKind.ADEMAMIX_8BIT));
        assertEquals(2 * (WEIGHT + BIAS) * 4, state(OptimizerKind.ADAMW_32BIT));
        assertEquals(2 * (WEIGHT + BIAS) * 4 + 2 * 4, state(OptimizerKind.LAMB_32BIT));
    }

    @Test
    void pagedStateIsALineOfItsOwnBesideReservedMemory() {
        Prediction p = predict(run(OptimizerKind.PAGED_ADAMW_32BIT));
        List<DeviceLine> paged = p.certainty().lines().stream()
                .filter(line -> line.part().equals(DeviceLine.PAGED))
                .toList();
        assertEquals(1, paged.size());
        assertEquals(2 * WEIGHT * 4, paged.get(0).bytes());
        assertEquals(2 * BIAS * 4, state(OptimizerKind.PAGED_ADAMW_32BIT));
        assertEquals(p.peak().reserved(), p.peak().device());
    }

    @Test
    void whatTheLibraryRefusesIsSaid() {
        Scenario half = run(OptimizerKind.SGD_8BIT).with(DTYPE, DType.BFLOAT16);
        String message =
                assertThrows(UserInputException.class, () -> predict(half)).getMessage();
        assertTrue(message.contains("bfloat16"), message);
        Scenario foreach = run(OptimizerKind.LION_8BIT).with(FOREACH, Scenario.Foreach.TRUE);
        assertTrue(assertThrows(UserInputException.class, () -> predict(foreach))
                .getMessage()
                .contains("`foreach=true`"));
    }
}
