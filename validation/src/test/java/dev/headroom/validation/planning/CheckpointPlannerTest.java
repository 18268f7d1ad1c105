package dev.headroom.validation.planning;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.advisor.checkpoints.CheckpointPlanner;
import dev.headroom.advisor.checkpoints.CheckpointPlans;
import dev.headroom.advisor.checkpoints.NestedLeast;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold of plans, and the deep perceptron of 2020 (P1 of the published systems). */
class CheckpointPlannerTest {
    private static final long MIB = 1 << 20;

    private static PredictionRequest request(String model, long batch, UnaryOperator<Scenario> options) {
        Scenario run = options.apply(
                Scenario.defaults().with(BATCH, batch).with(STEPS, 2).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE));
        return new PredictionRequest(
                Importers.read(Fixtures.models().resolve(model + ".pt2")),
                run.on(GpuCatalogue.find("rtx-2080-super").orElseThrow()));
    }

    private static long peak(PredictionRequest request, CheckpointChoice choice) {
        return Predictor.simulate(
                        request.with(choice.applied(request.scenario())).unbounded())
                .maxAllocated();
    }

    @ParameterizedTest
    @CsvSource({
        "resnet18-i224, 32, true",
        "vgg16-i224, 16, true",
        "gpt2-s512, 4, true",
        "bert-base-s256, 8, true",
        "unet-i256, 4, false",
        "t5-small-s256, 4, false",
        "swin_t-i224, 8, true"
    })
    void plansKeepTheirLaws(String model, long batch, boolean exact) {
        PredictionRequest request = request(model, batch, UnaryOperator.identity());
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        assertEquals(exact, plans.exact(), plans.method());
        CheckpointChoice before = null;
        assertTrue(plans.pareto().size() > 3, "something to choose from");
        for (CheckpointChoice c : plans.pareto()) {
            assertTrue(c.peakAllocated() >= plans.lowerBound());
            assertEquals(peak(request, c), c.peakAllocated());
            assertTrue(c.recomputedShare() < 0.5, "at most one more forward pass, which is less than a third");
            if (before == null) {
                assertTrue(c.storesAll());
            } else {
                assertTrue(c.peakAllocated() < before.peakAllocated());
                assertTrue(c.recomputedFlops() > before.recomputedFlops());
            }
            before = c;
        }
        for (CheckpointChoice b : plans.baselines()) {
            assertTrue(b.peakAllocated() >= plans.lowerBound());
            assertTrue(plans.pareto().stream()
                    .anyMatch(
                            c -> c.peakAllocated() <= b.peakAllocated() && c.recomputedFlops() <= b.recomputedFlops()));
        }
    }

    /** What they save is beside the leanest plan on one level, as the same model of costs sees it. */
    @ParameterizedTest
    @CsvSource({"resnet18-i224, 32, false", "unet-i256, 4, true", "efficientnet_b0-i224, 8, true"})
    void checkpointsInCheckpointsNeverNeedMore(String model, long batch, boolean less) {
        CheckpointPlans plans = CheckpointPlanner.plan(request(model, batch, UnaryOperator.identity()));
        NestedLeast nested = plans.nestedLeast();
        assertTrue(nested.exact());
        assertEquals(less, nested.saves() > 0, nested::toString);
        long oneLevel = nested.peakAllocated() + nested.saves();
        assertEquals(1, (double) oneLevel / plans.leanest().peakAllocated(), 0.02);
        assertEquals(nested.depth() > 1, nested.checkpoints().stream().anyMatch(c -> !c.inner()
                .isEmpty()));
        assertTrue(nested.depth() > (less ? 1 : 0));
        assertTrue(nested.recomputedShare() > 0 && nested.recomputedShare() < 1);
    }

    @Test
    void moreBudgetNeverCostsMoreRecomputation() {
        PredictionRequest request = request("resnet18-i224", 32, UnaryOperator.identity());
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        long low = plans.leanest().peakAllocated();
        long high = plans.pareto().get(0).peakAllocated();
        long before = Long.MAX_VALUE;
        for (int k = 0; k <= 6; k++) {
            long budget = low + (high - low) * k / 6;
            CheckpointChoice c = CheckpointPlanner.within(request, budget).orElseThrow();
            assertTrue(c.peakAllocated() <= budget);
            assertTrue(c.recomputedFlops() <= before);
            before = c.recomputedFlops();
        }
        assertEquals(0, before);
        assertEquals(Optional.empty(), CheckpointPlanner.within(request, plans.lowerBound() - 1));
    }

    /** At the bar or below: 3777 MiB were published as the best, with 8 segments. */
    @Test
    void thePerceptronNeedsLessThanThePublishedOptimum() {
        PredictionRequest request = request("mlp-xor", 100_000, run -> run.with(TORCH, TorchVersion.of("1.5"))
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(INPUT_GRAD, true));
        PredictionRequest published = request("mlp-xor", 100_000, run -> run.with(TORCH, TorchVersion.of("1.5"))
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(INPUT_GRAD, true)
                .with(CHECKPOINT, 8));
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        CheckpointChoice eight = CheckpointPlanner.play(published);
        Optional<CheckpointChoice> better = plans.pareto().stream()
                .filter(c -> c.peakAllocated() <= 3777 * MIB && c.recomputedFlops() <= eight.recomputedFlops())
                .findFirst();
        assertTrue(better.isPresent(), plans.pareto()::toString);
        assertEquals(Boolean.TRUE, better.get().reentrant(), "there was no other in 1.5");
        assertTrue(plans.exact());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsPlannedWhereNothingIsKept(boolean inference) {
        PredictionRequest request = request(
                "resnet18-i224", 8, run -> run.with(INFERENCE, inference).with(CHECKPOINT, inference ? 0 : 3));
        CheckpointPlans plans = CheckpointPlanner.plan(request);
        assertEquals(inference, plans.pareto().size() == 1);
        assertEquals(inference, plans.nestedLeast() == null);
        assertTrue(plans.pareto().get(0).storesAll());
        assertEquals(0, plans.baselines().get(0).recomputedFlops());
    }
}
