package dev.headroom.estimator.timeline;

import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.BlockState;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A timeline tells the same story as the prediction. */
class TimelineTest {
    private static final Graph MODEL = Importers.read(Path.of("../../fixtures/models/mlp-xor.pt2"));

    private static PlayedRun played(Long memory, String conf) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 64L)
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(ALLOC_CONF, conf);
        return PlayedRun.of(new PredictionRequest(MODEL, run.withDevice(new DeviceBudget(null, memory, 0, null))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "expandable_segments:True"})
    void phasesEndWhereThePredictionSays(String conf) {
        PlayedRun run = played(null, conf);
        Timeline t = run.timeline();
        assertEquals(run.prediction().phases().size(), t.phases().size());
        for (int i = 0; i < t.phases().size(); i++) {
            PhaseMemory state = run.prediction().phases().get(i);
            PhaseSpan span = t.phases().get(i);
            assertEquals(state.moment(), span.moment());
            if (span.to() > 0) {
                assertEquals(state.allocated(), t.allocated(span.to() - 1), span.title());
                assertEquals(state.reserved(), t.reserved(span.to() - 1), span.title());
            }
            if (span.to() > span.from()) {
                assertEquals(span, t.phase(span.from()));
                assertEquals(span, t.phase(span.to() - 1));
            }
        }
        assertEquals(t.size(), t.phases().get(t.phases().size() - 1).to());
    }

    @Test
    void thePeakIsThePredictions() {
        PlayedRun run = played(null, "");
        Prediction.Peak peak = run.prediction().peak();
        Timeline t = run.timeline();
        assertEquals(peak.allocated(), t.allocated(t.peak()));
        assertEquals(peak.moment().phase(), t.phase(t.peak()).phase());
        assertEquals(peak.moment().step(), t.phase(t.peak()).step());
        assertEquals(t.peak(), t.peak(t.phase(t.peak())));
        assertEquals(run.prediction().atPeak(), t.categories(t.peak()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "expandable_segments:True", "max_split_size_mb:64"})
    void segmentsHoldWhatIsAlive(String conf) {
        Timeline t = played(null, conf).timeline();
        for (int event : new int[] {0, t.size() / 3, t.peak(), t.size() - 1}) {
            Map<LiveTensor, Category> alive = t.alive(event);
            long reserved = 0;
            int found = 0;
            for (PlacedSegment s : t.segments(event)) {
                reserved += s.segment().size();
                for (int i = 0; i < s.tensors().size(); i++) {
                    LiveTensor tensor = s.tensors().get(i);
                    var block = s.segment().blocks().get(i);
                    if (block.state() == BlockState.INACTIVE) {
                        assertNull(tensor);
                    } else {
                        assertEquals(tensor.rounded(), block.size());
                        assertTrue(alive.containsKey(tensor));
                        found++;
                    }
                }
            }
            assertEquals(alive.size(), found);
            assertEquals(t.reserved(event), reserved);
            assertEquals(
                    t.allocated(event),
                    alive.keySet().stream().mapToLong(LiveTensor::rounded).sum());
        }
    }

    @Test
    void tensorsHaveTheirNamesAndShapes() {
        Timeline t = played(null, "").timeline();
        LiveTensor weight = t.tensors().get(0);
        assertEquals("0.weight", weight.name());
        assertEquals("0", weight.owner());
        assertEquals(t.size(), weight.died());
        assertNotNull(weight.dtype());
        for (LiveTensor tensor : t.tensors()) {
            long elements = 1;
            for (long size : tensor.sizes()) {
                elements *= size;
            }
            assertEquals(tensor.requested(), elements * tensor.dtype().bytes());
            assertTrue(tensor.born() < tensor.died());
            assertEquals(tensor, t.tensor(tensor.born()));
            assertTrue(tensor.died() == t.size() || t.isFree(tensor.died()));
        }
        for (String name : new String[] {"state of " + weight.name(), weight.name() + ".grad"}) {
            List<LiveTensor> named =
                    t.tensors().stream().filter(x -> x.name().equals(name)).toList();
            assertFalse(named.isEmpty());
            named.forEach(x -> assertEquals(weight.owner(), x.owner()));
        }
    }

    @Test
    void whatAutogradKeepsIsSavedByAnOperatorAndEndedByANode() {
        Timeline t = played(null, "").timeline();
        PhaseSpan forward = t.phases().stream()
                .filter(p -> p.phase() == Phase.FORWARD)
                .findFirst()
                .orElseThrow();
        int end = forward.to() - 1;
        Attribution[] savers = t.savers(end);
        int saved = 0;
        for (Map.Entry<LiveTensor, Category> e : t.alive(end).entrySet()) {
            LiveTensor tensor = e.getKey();
            Attribution saver = savers[tensor.number()];
            assertEquals(e.getValue() == Category.SAVED_ACTIVATIONS, saver != null);
            if (saver != null) {
                saved++;
                assertTrue(saver.operator().startsWith("aten.") && saver.node().isEmpty(), saver.toString());
                Attribution ended = t.running(tensor.died());
                assertTrue(ended.node().endsWith("Backward0"), ended.toString());
            }
        }
        assertTrue(saved > 10);
    }

    @Test
    void aRunThatFailsIsSeenAsItWasThen() {
        // Too little for the temporaries of the optimizer: those that it got are alive when the next does not fit.
        Timeline t = played(230L << 20, "").timeline();
        assertEquals(Phase.OPTIMIZER, t.phases().get(t.phases().size() - 1).phase());
        assertFalse(t.isFree(t.size() - 1));
        assertTrue(t.categories(t.size() - 1).get(Category.TEMPORARIES) > 0);
        assertEquals("optimizer", t.failed().operator());
        assertNull(played(null, "").timeline().failed());
    }

    @Test
    void aRunThatFailsEndsInThePhaseWhereItFailed() {
        PlayedRun run = played(16L << 20, "");
        Timeline t = run.timeline();
        assertNotNull(run.prediction().oom());
        assertEquals(
                run.prediction().oom().phase(),
                t.phases().get(t.phases().size() - 1).phase());
        assertEquals(t.size(), t.phases().get(t.phases().size() - 1).to());
        assertEquals(t.allocated(t.peak()), run.prediction().peak().allocated());
        assertFalse(t.segments(t.size() - 1).isEmpty());
    }

    @Test
    void aTensorIsAliveFromItsBirthToBeforeItsDeath() {
        Timeline t = played(null, "").timeline();
        for (int event : new int[] {0, t.size() / 2, t.size() - 1}) {
            assertEquals(
                    t.alive(event).keySet(),
                    t.tensors().stream().filter(x -> x.aliveAt(event)).collect(Collectors.toSet()));
        }
    }

    /** Of events that share a column, the one with most memory stands for it; categories add up there. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 100_000})
    void aCurveLosesNoPeak(int columns) {
        Timeline t = played(null, "").timeline();
        CategoryCurve curve = new CategoryCurve(t, columns);
        assertTrue(curve.columns() <= columns && curve.columns() > 0);
        assertTrue(columns < t.size() || curve.columns() == t.size(), "room for every event");
        long most = 0;
        for (int c = 0; c < curve.columns(); c++) {
            int event = curve.event(c);
            assertTrue(c == 0 || event > curve.event(c - 1));
            Map<LiveTensor, Category> alive = t.alive(event);
            for (Category category : Category.values()) {
                long blocks = alive.entrySet().stream()
                        .filter(e -> e.getValue() == category)
                        .mapToLong(e -> e.getKey().rounded())
                        .sum();
                assertEquals(blocks, curve.bytes(c, category), category + " " + event);
            }
            most = Math.max(most, t.allocated(event));
        }
        assertEquals(t.allocated(t.peak()), most);
    }

    /** As many columns as events are one each; of events with equally much, the first stands for the column. */
    @Test
    void aCurveIsAsFineAsItMayBe() {
        Timeline t = played(null, "").timeline();
        assertEquals(t.size(), new CategoryCurve(t, t.size()).columns());
        assertEquals((t.size() + 1) / 2, new CategoryCurve(t, t.size() - 1).columns());
        CategoryCurve one = new CategoryCurve(t, 1);
        assertEquals(1, one.columns());
        assertEquals(t.peak(), one.event(0));
    }

    /** What plays the run answers as what only predicts: of several ranks that of the fullest, with a word on all. */
    @ParameterizedTest
    @EnumSource(names = {"SINGLE", "DDP", "FSDP2"})
    void aPlayedRunIsThePredicted(ParallelKind kind) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 64L)
                .with(PARALLEL, kind)
                .with(WORLD, kind == ParallelKind.SINGLE ? 1 : 3)
                .with(ZERO_OPTIMIZER, kind == ParallelKind.DDP);
        PredictionRequest request = new PredictionRequest(MODEL, run);
        PlayedRun played = PlayedRun.of(request);
        Prediction told = Predictor.predict(request);
        assertEquals(told.peak(), played.prediction().peak());
        assertEquals(told.phases(), played.prediction().phases());
        assertEquals(told.ranks(), played.prediction().ranks());
        assertEquals(kind == ParallelKind.SINGLE, told.ranks().isEmpty());
        assertEquals(
                told.peak().allocated(),
                played.timeline().allocated(played.timeline().peak()));
        assertEquals(told.run(), played.request().scenario());
    }

    /** The first of the highest among the events of a span, its end not among them. */
    @Test
    void everySpanHasItsPeak() {
        Timeline t = played(null, "").timeline();
        Moment moment = t.phases().get(0).moment();
        assertEquals(-1, t.peak(new PhaseSpan(moment, 3, 3)));
        for (int from : new int[] {0, 1, t.size() / 2, t.peak(), t.size() - 1}) {
            int highest = from;
            for (int to = from + 1; to <= t.size(); to++) {
                highest = t.allocated(to - 1) > t.allocated(highest) ? to - 1 : highest;
                assertEquals(highest, t.peak(new PhaseSpan(moment, from, to)));
            }
        }
        // What a run ends with is freed here: the peak of a span that only falls is its first event.
        int last = t.size() - 1;
        while (!t.isFree(last)) {
            last--;
        }
        assertEquals(last - 1, t.peak(new PhaseSpan(moment, last - 1, last + 1)));
    }

    @Test
    void aPhaseIsCalledByItsStepAndPass() {
        PhaseSpan step = new PhaseSpan(new Moment(Phase.BACKWARD, 1, null), 0, 4);
        assertEquals("backward of step 1", step.title());
        assertEquals(1, step.step());
        assertNull(step.micro());
        PhaseSpan pass = new PhaseSpan(new Moment(Phase.BACKWARD, 1, 3), 0, 4);
        assertEquals("backward of step 1, pass 3", pass.title());
        assertEquals(3, pass.micro());
    }
}
