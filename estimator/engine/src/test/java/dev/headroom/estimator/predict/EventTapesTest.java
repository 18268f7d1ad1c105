package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.api.Test;

/** When a run is played from the events of an earlier one, and that it is the run that was asked for. */
class EventTapesTest {
    private static final long MIB = 1 << 20;

    private final Graph graph = Model.of("perceptron", Sequential.of(linear(784, 4000), relu(), linear(4000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 784)
            .graph();
    private final Scenario run = Scenario.defaults().with(BATCH, 64L);

    private Simulation simulate(Scenario of) {
        return Predictor.simulate(new PredictionRequest(graph, of));
    }

    /** Runs that were played from the same events share what no allocator changes. */
    private static boolean shareEvents(Simulation a, Simulation b) {
        return a.attributions() == b.attributions();
    }

    @Test
    void anotherAllocatorIsAskedForTheSame() {
        Simulation first = simulate(run);
        Simulation expanding = simulate(run.withAllocConf("expandable_segments:True"));
        assertEquals(true, shareEvents(first, expanding));
        assertNotEquals(first.maxReserved(), expanding.maxReserved());
        assertEquals("expandable_segments:True", expanding.prepared().scenario().allocConf());
        assertEquals(true, expanding.settings().expandableSegments());
    }

    @Test
    void anotherDeviceOfTheSameKernels() {
        Scenario large = run.on(GpuCatalogue.find("rtx-3090").orElseThrow());
        Simulation first = simulate(large);
        Scenario limited = large.withDevice(large.device().withLimit(500 * MIB));
        Simulation second = simulate(limited);
        assertEquals(true, shareEvents(first, second));
        assertSame(limited.device(), second.prepared().scenario().device());
        assertEquals(
                false,
                shareEvents(
                        first, simulate(run.on(GpuCatalogue.find("a100-80gb").orElseThrow()))));
    }

    @Test
    void whatIsRefusedIsPlayedByItsOperators() {
        Simulation first = simulate(run);
        Simulation failed = simulate(run.withDevice(new DeviceBudget(null, null, 0, first.maxReserved() / 2)));
        assertNull(first.oom());
        assertNotNull(failed.oom());
        assertEquals(false, shareEvents(first, failed));
        // A run that failed is no tape of the whole.
        assertEquals(true, shareEvents(first, simulate(run)));
    }

    @Test
    void anotherRunHasOtherEvents() {
        Simulation first = simulate(run);
        Simulation longer = simulate(run.with(STEPS, 4));
        assertEquals(false, shareEvents(first, longer));
        assertNotSame(first.log(), longer.log());
        assertEquals(4, longer.prepared().scenario().loop().steps());
        Graph same = Model.of("perceptron", Sequential.of(linear(784, 4000), relu(), linear(4000, 10)))
                .input("x", DType.FLOAT32, Model.BATCH, 784)
                .graph();
        assertEquals(false, shareEvents(first, Predictor.simulate(new PredictionRequest(same, run))));
    }

    @Test
    void whoInterpretsOrLooksOnGetsEveryOperator() {
        PredictionRequest request = new PredictionRequest(graph, run);
        Simulation first = Predictor.simulate(request);
        assertEquals(false, shareEvents(first, Predictor.interpret(request)));
        assertEquals(false, shareEvents(first, Predictor.simulate(request, (allocator, place) -> {})));
    }
}
