package dev.headroom.estimator.optim;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.api.Test;

class Adam8bitTest {
    @Test
    void largeParametersTakeTwoBytesAnElementAndScalesSmallOnesEight() {
        Graph graph = Model.of("m", Sequential.of(Layers.linear(1000, 100)))
                .input("x", DType.FLOAT32, Model.BATCH, 1000)
                .graph();
        Scenario run = Scenario.defaults().with(BATCH, 2L).with(OPTIMIZER, OptimizerKind.ADAMW_8BIT);
        Prediction p = Predictor.predict(new PredictionRequest(graph, run));
        long weight = 2 * 100_000 + 2 * 391 * 4; // 391 blocks of 256
        long bias = 2 * 100 * 4;
        long tables = 2 * 256 * 4;
        long state = p.layers().stream().mapToLong(l -> l.optimizerState()).sum();
        assertEquals(weight + bias + tables, state);
    }
}
