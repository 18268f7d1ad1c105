package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.advisor.change.Intrusion;
import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Advice for models of the fixtures on an RTX 3060 with part of its memory. */
class AdvisorTest {
    private static Graph model(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve("fixtures").resolve("models").resolve(name + ".pt2");
            if (Files.exists(file)) {
                return Importers.read(file);
            }
        }
        throw new IllegalStateException("no fixtures/models/" + name + ".pt2");
    }

    private static Scenario run(long batch) {
        Scenario run = Scenario.defaults().with(BATCH, batch).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        return run;
    }

    private static PredictionRequest request(Graph graph, Scenario run, long mib) {
        return new PredictionRequest(
                graph,
                run.withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3060").orElseThrow(), null, 0, mib << 20)));
    }

    /** With a part of the memory that the run would reserve with room to spare. */
    private static PredictionRequest squeezed(Graph graph, Scenario run, double part) {
        PredictionRequest request = request(graph, run, 11_000);
        long reserved = Predictor.predict(request).peak().reserved();
        return request(graph, run, (long) (part * reserved) >> 20);
    }

    private static boolean fits(PredictionRequest request) {
        return Predictor.simulate(request).oom() == null;
    }

    private static PredictionRequest with(PredictionRequest request, long batch) {
        Scenario run = request.scenario().with(BATCH, batch);
        return request.with(run);
    }

    private static PredictionRequest with(PredictionRequest request, String dim, long size) {
        return request.with(request.scenario().withDim(dim, size));
    }

    @ParameterizedTest
    @CsvSource({"small/resnet18, 1024, 0.7", "small/gpt2, 2048, 0.6", "small/unet, 64, 0.5"})
    void everyPlanGetsThroughAndKeepsTheSamplesOfAStep(String name, long batch, double part) {
        PredictionRequest request = squeezed(model(name), run(batch), part);
        Advice advice = Advisor.advise(request, Goal.KEEP_BATCH);
        assertFalse(advice.fits());
        assertFalse(advice.plans().isEmpty());
        for (Plan plan : advice.plans()) {
            Scenario changed = plan.prediction().run();
            assertEquals(
                    batch,
                    changed.sizes().batch() * changed.loop().accumulate(),
                    plan.changes().toString());
            Prediction again = Predictor.predict(request.with(changed));
            assertEquals(Boolean.TRUE, again.verdict().fits(), plan.changes().toString());
            assertEquals(again.peak(), plan.prediction().peak());
            assertFalse(plan.code().isEmpty());
        }
        List<Intrusion> ranks = advice.plans().stream().map(Plan::intrusion).toList();
        List<Intrusion> sorted = new ArrayList<>(ranks);
        sorted.sort(null);
        assertEquals(sorted, ranks);
        assertLargest(request, advice);
    }

    @ParameterizedTest
    @CsvSource({"small/resnet18, 100", "small/gpt2, 80"})
    void everyBatchOfAPlanIsTheLargest(String name, long mib) {
        Scenario run = run(1).with(BATCH, null);
        PredictionRequest request = request(model(name), run, mib);
        Advice advice = Advisor.advise(request, Goal.MAX_BATCH);
        assertTrue(advice.fits());
        assertLargest(request, advice);
        long before = advice.largest().get(0).value();
        assertFalse(advice.plans().isEmpty());
        for (Plan plan : advice.plans()) {
            Scenario changed = plan.prediction().run();
            assertTrue(changed.sizes().batch() > before, changed.sizes().batch() + " after " + before);
            assertTrue(fits(request.with(changed)));
            before = changed.sizes().batch();
            for (int beyond = 1; beyond <= 3; beyond++) {
                assertFalse(fits(request.with(changed.with(BATCH, before + beyond))), before + " + " + beyond);
            }
        }
    }

    private static void assertLargest(PredictionRequest request, Advice advice) {
        Largest largest = advice.largest().get(0);
        assertEquals("batch", largest.name());
        assertTrue(fits(with(request, largest.value())));
        assertEquals(Largest.Limit.MEMORY, largest.limit());
        assertEquals(largest.value() + 1, largest.next());
        for (int beyond = 1; beyond <= 3; beyond++) {
            assertFalse(fits(with(request, largest.value() + beyond)), "batch + " + beyond);
        }
        assertSafe(request, largest);
    }

    private static void assertSafe(PredictionRequest request, Largest largest) {
        if (largest.safe() == null) { // so little memory that deviations of every run are as large
            assertTrue(risk(with(request, 1)) > Largest.RISK);
            return;
        }
        assertTrue(risk(with(request, largest.safe())) <= Largest.RISK);
        assertTrue(largest.safe() < largest.value(), "no room at the largest batch is no safe one");
        assertTrue(risk(with(request, largest.value())) > Largest.RISK);
        long hundredth = Math.max(1, largest.value() / 100);
        // Segments come in steps, so that a larger batch now and then runs a smaller risk.
        boolean risky = LongStream.rangeClosed(1, hundredth)
                .anyMatch(more -> risk(with(request, largest.safe() + more)) > Largest.RISK);
        assertTrue(risky, "to within a hundredth");
    }

    private static double risk(PredictionRequest request) {
        return Predictor.predict(request).verdict().probabilityOom();
    }

    /** The archive takes sequences up to 256. */
    @ParameterizedTest
    @CsvSource({"4, 11000, MODEL", "256, 100, MEMORY"})
    void theLongestSequenceIsFoundWhereItIsOpen(long batch, long mib, Largest.Limit limit) {
        Scenario run = run(batch).withDim("input_ids.1", 16);
        PredictionRequest request = request(model("small/gpt2-open-sequence"), run, mib);
        Largest longest = Advisor.advise(request, Goal.KEEP_BATCH).largest().get(1);
        assertEquals("input_ids.1", longest.name());
        assertEquals(limit, longest.limit());
        assertTrue(fits(with(request, "input_ids.1", longest.value())));
        PredictionRequest beyond = with(request, "input_ids.1", longest.next());
        if (limit == Largest.Limit.MODEL) {
            assertEquals(256, longest.value());
            assertThrows(UserInputException.class, () -> fits(beyond));
        } else {
            assertFalse(fits(beyond));
        }
    }

    @Test
    void aRunThatFitsIsToldWhatElseWould() {
        PredictionRequest request = request(model("small/vgg16"), run(8), 150);
        Advice advice = Advisor.advise(request, Goal.KEEP_BATCH);
        assertTrue(advice.fits() && advice.possible());
        assertNull(advice.shortfall());
        assertTrue(advice.largest().get(0).value() > 8);
        advice.plans()
                .forEach(plan -> assertTrue(plan.prediction().run().sizes().batch() > 8));
    }

    @Test
    void whenNothingFitsTheNearestIsNamed() {
        PredictionRequest request = request(model("small/gpt2"), run(16), 12);
        Advice advice = Advisor.advise(request, Goal.KEEP_BATCH);
        assertFalse(advice.possible());
        assertEquals(List.of(), advice.plans());
        assertNull(advice.largest().get(0).value());
        Shortfall shortfall = advice.shortfall();
        assertNotNull(shortfall);
        assertTrue(shortfall.missing() > 0);
        assertTrue(shortfall.minimumMemory() < advice.asked().verdict().minimumMemory());
    }

    /** Three linear layers with 2.16 GiB of weights each behind small convolutions. */
    @Test
    void whereWeightsOutweighActivationsCheckpointingIsNoHelp() {
        Advice advice = Advisor.advise(request(model("cnn-full"), run(100), 11_000), Goal.KEEP_BATCH);
        assertTrue(
                advice.notes().stream().anyMatch(note -> note.startsWith("checkpointing will not help")),
                advice.notes().toString());
        assertTrue(
                advice.plans().stream().flatMap(plan -> plan.changes().stream()).noneMatch(change -> change.kind()
                        .equals("checkpointing")));
    }

    @Test
    void theReentrantTrapIsTold() {
        Scenario run = run(64).with(CHECKPOINT, 4).with(REENTRANT, true);
        Advice advice = Advisor.advise(request(model("resnet18-i224"), run, 11_000), Goal.KEEP_BATCH);
        assertTrue(
                advice.notes().stream().anyMatch(note -> note.contains("use_reentrant=False")),
                advice.notes().toString());
    }

    @Test
    void withoutADeviceThereIsNoAdvice() {
        PredictionRequest request = new PredictionRequest(model("small/gpt2"), run(1));
        assertThrows(UserInputException.class, () -> Advisor.advise(request, Goal.KEEP_BATCH));
    }

    /** Where odd batches reserve far more than even ones, thousands of batches in a row get through with gaps. */
    @Test
    void aLongRowWithGapsIsNotWalkedOneByOne() {
        PredictionRequest request = request(model("small/mlp-xor"), run(8).with(LOSS, LossKind.LABEL_SMOOTHING), 648);
        Scenario run = request.scenario();
        AtomicLong played = new AtomicLong();
        VariantPlayer player = new VariantPlayer(request, of -> request.graph(), Processors.HERE, played::set);
        long largest =
                Objects.requireNonNull(LargestSizeSearch.batch(player, run).value());
        assertTrue(played.get() < 200, "runs: " + played);
        assertTrue(player.fits(run.with(BATCH, largest)));
        assertTrue(player.fits(run.with(BATCH, largest - 1000)));
        assertFalse(player.fits(run.with(BATCH, largest - 1001)));
        assertTrue(LongStream.rangeClosed(1, 4).noneMatch(more -> player.fits(run.with(BATCH, largest + more))));
    }
}
