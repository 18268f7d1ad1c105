package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Laws that every prediction obeys, whatever the model and the batch. */
class LawsTest {
    private static final Map<String, Graph> GRAPHS = new HashMap<>();

    private static Graph graph(String name) {
        return GRAPHS.computeIfAbsent(
                name, n -> Importers.read(Fixtures.models().resolve(n + ".pt2")));
    }

    @Provide
    Arbitrary<String> models() {
        return Arbitraries.of("mlp-xor", "cnn-small", "resnet18-i224", "bert-base-cls-s128");
    }

    @Provide
    Arbitrary<OptimizerKind> optimizers() {
        return Arbitraries.of(OptimizerKind.SGD, OptimizerKind.SGD_MOMENTUM, OptimizerKind.ADAM, OptimizerKind.NONE);
    }

    private static Scenario run(String model, long batch, OptimizerKind optimizer, int steps) {
        Scenario run = Scenario.defaults()
                .with(BATCH, batch)
                .with(OPTIMIZER, optimizer)
                .with(STEPS, steps)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                .with(LOSS, model.startsWith("cnn") ? LossKind.MSE : LossKind.AUTO);
        return run;
    }

    private static Prediction predict(String model, Scenario run, Long memory) {
        return Predictor.predict(
                new PredictionRequest(graph(model), run.withDevice(new DeviceBudget(null, memory, 0, null))));
    }

    @Property(tries = 30)
    void categoriesRoundingAndCacheAddUpToReserved(
            @ForAll("models") String model,
            @ForAll("optimizers") OptimizerKind optimizer,
            @ForAll @IntRange(min = 1, max = 40) int batch) {
        Prediction p = predict(model, run(model, batch, optimizer, 2), null);
        long categories =
                p.atPeak().values().stream().mapToLong(Long::longValue).sum();
        assertEquals(p.peak().allocated(), categories + p.rounding());
        assertTrue(p.cachedFree() >= 0);
        assertTrue(p.peak().allocated() + p.cachedFree() <= p.peak().reserved());
        long shares = p.layers().stream().mapToLong(l -> l.peakShare()).sum();
        assertEquals(categories, shares);
    }

    /**
     * Of what the forward pass keeps; scratch of reductions is no monotone function of the batch, in PyTorch neither.
     */
    @Property(tries = 20)
    void aLargerBatchNeverKeepsLess(@ForAll("models") String model, @ForAll @IntRange(min = 1, max = 60) int batch) {
        assertTrue(kept(model, batch) <= kept(model, batch + 1));
    }

    private static long kept(String model, int batch) {
        return predict(model, run(model, batch, OptimizerKind.ADAM, 1), null).layers().stream()
                .mapToLong(l -> l.saved())
                .sum();
    }

    @Property(tries = 20)
    void oneMoreStepChangesNoStepBeforeIt(
            @ForAll("models") String model,
            @ForAll("optimizers") OptimizerKind optimizer,
            @ForAll @IntRange(min = 1, max = 4) int steps) {
        List<PhaseMemory> fewer =
                predict(model, run(model, 4, optimizer, steps), null).phases();
        List<PhaseMemory> more =
                predict(model, run(model, 4, optimizer, steps + 1), null).phases();
        assertEquals(fewer, more.subList(0, fewer.size()));
    }

    @Property(tries = 20)
    void theLeastMemoryIsEnoughAndLessIsNot(
            @ForAll("models") String model, @ForAll @IntRange(min = 1, max = 30) int batch) {
        Scenario run = run(model, batch, OptimizerKind.ADAM, 2);
        long least = predict(model, run, null).verdict().minimumMemory();
        assertTrue(predict(model, run, least).verdict().fits());
        Prediction without = predict(model, run, least - (2L << 20));
        assertEquals(false, without.verdict().fits());
        assertTrue(without.oom() != null);
        long reserved = predict(model, run, null).peak().reserved();
        assertTrue(predict(model, run, reserved).verdict().fits());
    }

    @Property(tries = 20)
    void nothingIsFreedTwiceAndWhatIsLeftHasAnOwner(
            @ForAll("models") String model,
            @ForAll("optimizers") OptimizerKind optimizer,
            @ForAll @IntRange(min = 1, max = 20) int batch) {
        Simulation s = Predictor.simulate(new PredictionRequest(graph(model), run(model, batch, optimizer, 2)));
        EventLog log = s.log();
        boolean[] alive = new boolean[log.storages()];
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                alive[storage] = true;
            }

            @Override
            public void freed(int storage) {
                assertTrue(alive[storage], "freed twice");
                alive[storage] = false;
            }
        });
        Category[] end = log.aliveAfter(log.size());
        for (int i = 0; i < end.length; i++) {
            assertEquals(alive[i], end[i] != null);
            assertTrue(end[i] != Category.SAVED_ACTIVATIONS, "a backward pass left a saved tensor");
        }
    }

    @Property(tries = 20)
    void accumulatingNeverRaisesTheActivationPeak(
            @ForAll @IntRange(min = 1, max = 4) int parts, @ForAll @IntRange(min = 1, max = 8) int each) {
        Scenario whole = run("resnet18-i224", (long) parts * each, OptimizerKind.SGD, 2);
        Scenario split = run("resnet18-i224", each, OptimizerKind.SGD, 2).with(ACCUMULATE, parts);
        assertTrue(saved(split) <= saved(whole));
    }

    private static long saved(Scenario run) {
        return predict("resnet18-i224", run, null).atPeak().get(Category.SAVED_ACTIVATIONS);
    }

    @Property(tries = 10)
    void allocatorSettingsDoNotChangeWhatIsAskedFor(@ForAll("models") String model) {
        Scenario expandable = run(model, 8, OptimizerKind.ADAM, 2).with(ALLOC_CONF, "expandable_segments:True");
        EventLog a = log(model, run(model, 8, OptimizerKind.ADAM, 2));
        EventLog b = log(model, expandable);
        assertEquals(a.size(), b.size());
        assertEquals(a.storages(), b.storages());
        for (int i = 0; i < a.storages(); i++) {
            assertEquals(a.requested(i), b.requested(i));
        }
    }

    private static EventLog log(String model, Scenario run) {
        return Predictor.simulate(new PredictionRequest(graph(model), run)).log();
    }
}
