package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.flatten;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What predictions say of their own certainty. */
class CertaintyOfRunsTest {
    private static final long MIB = 1 << 20;

    private static final Graph CONVOLUTIONS = Model.of(
                    "convolutions",
                    Sequential.of(
                            conv2d(3, 64, 3, 1, 0),
                            relu(),
                            conv2d(64, 64, 3, 1, 0),
                            relu(),
                            flatten(),
                            linear(64 * 28 * 28, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 3, 32, 32)
            .graph();

    private static final Graph PERCEPTRON = Model.of(
                    "perceptron", Sequential.of(linear(784, 2000), relu(), linear(2000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 784)
            .graph();

    private static Scenario run(Long workspace) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 64L)
                .with(CUDNN_WORKSPACE, new CudnnWorkspace(Scenario.Workspaces.DISTILLED, workspace, true));
        return run;
    }

    private static Prediction predict(Graph graph, String gpu, Long memory, Scenario run) {
        return Predictor.predict(new PredictionRequest(
                graph,
                run.withDevice(new DeviceBudget(
                        gpu == null ? null : GpuCatalogue.find(gpu).orElseThrow(), memory, 0, null))));
    }

    @Test
    void theLowerEndIsTheRunWithoutWorkspaces() {
        Certainty c = predict(CONVOLUTIONS, "rtx-3090", null, run(null)).certainty();
        Prediction without = predict(CONVOLUTIONS, "rtx-3090", null, run(0L));
        assertTrue(c.reserved().low() < c.reserved().high(), c::toString);
        assertEquals(without.peak().reserved(), c.reserved().low());
        assertEquals(
                without.certainty().reserved().low(),
                without.certainty().reserved().high(),
                "all is decided");
    }

    /** Small runs deviate by as much as they take, but what is allocated is sure. */
    @Test
    void nothingBelowWhatIsAllocatedIsLikely() {
        Prediction p = predict(PERCEPTRON, null, null, run(null));
        assertTrue(p.certainty().interval().low() >= p.peak().allocated(), p.certainty()::toString);
        Prediction without = predict(CONVOLUTIONS, null, null, run(0L));
        Interval i = predict(CONVOLUTIONS, null, null, run(null)).certainty().interval();
        assertTrue(i.low() >= without.peak().allocated(), i::toString);
    }

    /** There are no rules for Volta: bounds from the others'. */
    @Test
    void theUpperEndIsTheMostThatBoundsAllow() {
        Prediction p = predict(CONVOLUTIONS, "v100-16gb", null, run(null));
        assertTrue(p.certainty().reserved().high() >= p.peak().reserved());
        assertTrue(p.certainty().reserved().low() <= p.peak().reserved());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rtx-3090", "v100-16gb", "h100-80gb", "rtx-4060"})
    void linesAddUpToThePeakAndTheIntervalHoldsIt(String gpu) {
        for (Graph graph : new Graph[] {CONVOLUTIONS, PERCEPTRON}) {
            Prediction p = predict(graph, gpu, null, run(null));
            Certainty c = p.certainty();
            assertEquals(
                    p.peak().device(),
                    c.lines().stream().mapToLong(DeviceLine::bytes).sum());
            Interval i = c.interval();
            assertTrue(i.low() <= p.peak().device() && p.peak().device() <= i.high(), i::toString);
            assertTrue(i.high() <= p.device().memory(), i::toString);
        }
    }

    @Test
    void riskFallsWithMemoryAndAgreesWithTheVerdict() {
        long needed = predict(PERCEPTRON, "rtx-3090", null, run(null)).verdict().minimumMemory();
        double last = 1;
        for (long memory = needed - 32 * MIB; memory < needed + 1024 * MIB; memory += 32 * MIB) {
            double p =
                    predict(PERCEPTRON, "rtx-3090", memory, run(null)).verdict().probabilityOom();
            long here = memory - needed;
            double before = last;
            assertTrue(p <= before + 1e-9, () -> p + " after " + before + " at " + here);
            assertTrue(p > 0 && p < 1, () -> p + " at " + here);
            last = p;
        }
        assertTrue(last < 0.01, "left with 1 GiB to spare: " + last);
    }

    /** What the allocator may not reserve is in no interval. */
    @Test
    void aLimitBoundsTheInterval() {
        Scenario large = run(null).with(BATCH, 200_000L);
        long reserved = predict(PERCEPTRON, "rtx-3090", null, large).peak().reserved();
        PredictionRequest limited = new PredictionRequest(
                PERCEPTRON,
                large.withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3090").orElseThrow(), null, 0, reserved)));
        Prediction p = Predictor.predict(limited);
        assertEquals(true, p.verdict().fits());
        long beside = limited.deviceLines().stream().mapToLong(DeviceLine::high).sum();
        assertEquals(reserved + beside, p.certainty().interval().high());
    }

    @Test
    void aRunThatFailsTellsWhatItWouldTake() {
        Prediction p = predict(PERCEPTRON, null, 40 * MIB, run(null));
        assertEquals(false, p.verdict().fits());
        assertTrue(p.verdict().probabilityOom() > 0.5, p.verdict()::toString);
        long whole = predict(PERCEPTRON, null, null, run(null)).peak().reserved();
        assertEquals(whole, p.certainty().reserved().high());
        assertTrue(p.certainty().interval().high() > whole, p.certainty()::toString);
    }

    @Test
    void withoutADeviceThereIsAnIntervalAndNoProbability() {
        Prediction p = predict(PERCEPTRON, null, null, run(null));
        assertNull(p.verdict().probabilityOom());
        assertTrue(p.certainty().interval().low() < p.peak().device());
        assertEquals(1, p.certainty().lines().size());
    }
}
