package dev.headroom.validation.executor;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Training;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checkpointed runs compute what plain ones do, in the memory that is predicted for them. */
class CheckpointTest {
    private static final int DEPTH = 6;
    private static final Gpu GPU = GpuCatalogue.find("h200").orElseThrow();

    /** What a run left. */
    private record Result(double loss, Map<String, double[]> gradients, List<PhaseMemory> phases) {
        long peak() {
            return phases.get(phases.size() - 1).maxAllocated();
        }
    }

    private static Graph chain(double dropout) {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < DEPTH; i++) {
            layers.add(Sequential.of(
                    Layers.linear(64, 64), i % 2 == 0 ? Layers.tanh() : Layers.sigmoid(), Layers.dropout(dropout)));
        }
        return Model.of("chain", Sequential.of(layers.toArray(Layer[]::new)))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
    }

    private static Scenario run(int segments, Boolean reentrant, boolean inputGrad) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 128L)
                .with(STEPS, 3)
                .with(LOSS, LossKind.MSE)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(CHECKPOINT, segments)
                .with(REENTRANT, reentrant)
                .with(INPUT_GRAD, inputGrad);
        return run;
    }

    private static Result measure(Graph graph, Scenario run) {
        try (HostBackend host = new HostBackend(1L << 30)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                    host,
                    new Settings(GPU, run.kernels().attention(), 1));
            List<PhaseMemory> phases = new ArrayList<>();
            Training training = new Training(eager, Preparation.of(graph, run), phases::add);
            training.prepare((name, t) -> host.random().uniform(t, -1, 1, name.hashCode()));
            training.run();
            Map<String, double[]> gradients = new LinkedHashMap<>();
            training.model().parameters().forEach((name, p) -> gradients.put(name, values(host, p.grad())));
            return new Result(training.loss(), gradients, phases);
        }
    }

    private static double[] values(HostBackend host, Tensor t) {
        return t == null ? null : host.read(t);
    }

    private static List<String> rows(List<PhaseMemory> measured) {
        return measured.stream()
                .map(p -> p.phase() + " " + p.step() + " " + p.allocated() + " " + p.maxAllocated() + " "
                        + p.maxReserved())
                .toList();
    }

    private static List<String> predicted(Graph graph, Scenario run) {
        List<PhaseMemory> phases = Predictor.predict(
                        new PredictionRequest(graph, run.withDevice(new DeviceBudget(GPU, 1L << 30, 0, null))))
                .phases();
        return phases.stream()
                .map(p -> p.phase() + " " + p.step() + " " + p.allocated() + " " + p.maxAllocated() + " "
                        + p.maxReserved())
                .toList();
    }

    @ParameterizedTest(name = "{0} segments, re-entrant {1}")
    @CsvSource({"2, false", "3, false", "6, false", "2, true", "3, true", "6, true"})
    void lossAndGradientsAreThoseOfAPlainRun(int segments, boolean reentrant) {
        Graph graph = chain(0.3);
        Result plain = measure(graph, run(0, null, true));
        Result checkpointed = measure(graph, run(segments, reentrant, true));
        assertEquals(plain.loss, checkpointed.loss, "random numbers are drawn again as they were");
        assertTrue(plain.gradients.size() == 2 * DEPTH, "all parameters have gradients");
        plain.gradients.forEach((name, g) -> assertArrayEquals(g, checkpointed.gradients.get(name), 0, name));
        assertTrue(checkpointed.peak() < plain.peak(), () -> checkpointed.peak() + " of " + plain.peak());
    }

    @ParameterizedTest(name = "{0} segments, re-entrant {1}, gradient of the input {2}")
    @CsvSource({
        "0,, false",
        "2, false, false",
        "3, false, true",
        "6, false, false",
        "2, true, true",
        "3, true, true",
        "6, true, true",
        "2, true, false"
    })
    void theMemoryIsThePredicted(int segments, Boolean reentrant, boolean inputGrad) {
        for (double dropout : new double[] {0, 0.3}) {
            Graph graph = chain(dropout);
            Scenario run = run(segments, reentrant, inputGrad).with(LOSS, LossKind.SUM);
            assertEquals(predicted(graph, run), rows(measure(graph, run).phases));
        }
    }

    @Test
    void aReentrantSegmentWithoutAGradientToWaitForTrainsNothing() {
        Result result = measure(chain(0), run(2, true, false));
        assertNull(result.gradients.get("0.0.weight"));
        assertTrue(result.gradients.get("5.0.weight") != null, "the last segment runs unchecked");
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void namedModulesAreCheckpoints(boolean reentrant) {
        Graph graph = chain(0.3);
        Scenario run = run(0, reentrant, true).with(CHECKPOINT_MODULES, List.of("1", "3", "4"));
        Result plain = measure(graph, run(0, null, true));
        Result checkpointed = measure(graph, run);
        plain.gradients.forEach((name, g) -> assertArrayEquals(g, checkpointed.gradients.get(name), 0, name));
        Scenario summed = run.with(LOSS, LossKind.SUM);
        assertEquals(predicted(graph, summed), rows(measure(graph, summed).phases));
    }
}
