package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read off a run that was played, and what is asked before one is. */
class ReadingOfRunsTest {
    private static final long MIB = 1 << 20;
    private static final Graph PERCEPTRON = Model.of(
                    "perceptron", Sequential.of(linear(784, 2000), relu(), linear(2000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 784)
            .graph();
    private static final Graph CONVOLUTION = Model.of("convolution", Sequential.of(conv2d(3, 8, 3, 1, 1)))
            .input("x", DType.FLOAT32, Model.BATCH, 3, 32, 32)
            .graph();

    private static Scenario run(long limit) {
        return Scenario.defaults()
                .with(BATCH, 64L)
                .withDevice(new DeviceBudget(GpuCatalogue.find("rtx-3060").orElseThrow(), null, 0, limit));
    }

    private static Simulation played(long limit) {
        return Predictor.simulate(new PredictionRequest(PERCEPTRON, run(limit)));
    }

    @Test
    void aRunThatGetsThroughEndsWithItsLog() {
        Simulation run = played(4096 * MIB);
        assertNull(run.oom());
        assertEquals(run.log().size(), run.events());
        assertTrue(run.maxAllocated() > 0 && run.maxAllocated() <= run.maxReserved());
        assertEquals(run.maxAllocated(), run.mostAllocated(), "one device");
        assertEquals(run.maxReserved(), run.mostReserved());
        assertEquals(run.phases(), run.devices().get(0).phases());
        assertFalse(run.phases().isEmpty());
        long highest =
                run.phases().stream().mapToLong(p -> p.maxReserved()).max().orElseThrow();
        assertEquals(highest, run.mostReserved());
    }

    @Test
    void aRunThatFailsEndsWhereItDid() {
        Simulation run = played(24 * MIB);
        assertNotNull(run.oom());
        assertTrue(run.events() <= run.log().size());
        assertTrue(run.events() > 0);
        int alive = 0;
        for (Category category : run.log().aliveAfter(run.events())) {
            alive += category == null ? 0 : 1;
        }
        assertTrue(alive > 0, "weights are there when memory runs out");
    }

    @Test
    void sharesOfLayersAreOfTheirOwnBytes() {
        Prediction p = Predictor.predict(new PredictionRequest(PERCEPTRON, run(4096 * MIB)));
        LayerShare first = share(p, "0", "aten.linear");
        assertEquals((784 + 1) * 2000 * 4, first.parameters());
        assertEquals((784 + 1) * 2000 * 4, first.gradients());
        LayerShare relu = share(p, "1", "aten.relu");
        assertEquals(64 * 2000 * 4, relu.saved(), "the next product keeps the same");
        assertEquals(0, relu.parameters());
        long atPeak = p.layers().stream().mapToLong(LayerShare::peakShare).sum();
        assertTrue(atPeak <= p.peak().allocated(), atPeak + " of " + p.peak());
        assertTrue(atPeak > first.parameters() + first.gradients(), atPeak + " of " + p.peak());
    }

    private static LayerShare share(Prediction p, String module, String operator) {
        return p.layers().stream()
                .filter(l -> l.module().equals(module) && l.operator().equals(operator))
                .findFirst()
                .orElseThrow(() -> new AssertionError(p.layers().toString()));
    }

    @Test
    void aQuestionWithoutARankIsAboutAll() {
        Scenario one = run(4096 * MIB);
        assertFalse(Ranks.areAsked(new PredictionRequest(PERCEPTRON, one)));
        Scenario world = one.with(PARALLEL, ParallelKind.DDP).with(WORLD, 2);
        assertTrue(Ranks.areAsked(new PredictionRequest(PERCEPTRON, world)));
        assertFalse(Ranks.areAsked(new PredictionRequest(PERCEPTRON, world.with(RANK, 0))));
        assertFalse(Ranks.areAsked(new PredictionRequest(PERCEPTRON, one.with(PARALLEL, ParallelKind.DP))));
    }

    @Test
    void ranksThatTakeTheSameStandTogether() {
        Scenario world = run(4096 * MIB).with(PARALLEL, ParallelKind.DDP).with(WORLD, 3);
        PredictionRequest asked = new PredictionRequest(PERCEPTRON, world);
        Ranks ranks = Ranks.of(asked);
        assertEquals(List.of(0, 1, 2), ranks.all().get(0).ranks());
        List<DeviceLine> lines = ranks.all().get(0).lines();
        assertEquals(ranks.all().get(0).peak().reserved(), lines.get(0).bytes());
        assertEquals(1 + asked.deviceLines().size(), lines.size());
        Prediction of = Predictor.predict(asked);
        assertEquals(of.peak().reserved(), ranks.all().get(0).peak().reserved());
    }

    @ParameterizedTest
    @CsvSource({
        "'', true",
        "expandable_segments:True, false",
        "garbage_collection_threshold:0.8, true",
        "per_process_memory_fraction:0.5, false"
    })
    void onlyRefusalsTellDevicesApart(String conf, boolean alike) {
        assertEquals(alike, RequestPlay.onlyRefusalsDiffer(AllocatorSettings.parse(conf)));
    }

    @Test
    void runsWithPlainSettingsAreShared() {
        Scenario plain = run(4096 * MIB);
        assertTrue(SharedPlays.serves(plain));
        assertFalse(SharedPlays.serves(plain.with(ALLOC_CONF, "max_split_size_mb:64")));
        assertFalse(SharedPlays.serves(plain.with(PARALLEL, ParallelKind.DDP)));
        SharedPredictor shared = new SharedPredictor();
        for (long mib : new long[] {4096, 24, 300, 4096}) {
            PredictionRequest asked = new PredictionRequest(PERCEPTRON, run(mib * MIB));
            assertEquals(Predictor.predict(asked), shared.predict(asked), mib + " MiB");
        }
    }

    @Test
    void requestsLeaveOutWhatTakesNoMemory() {
        EventLog log = new EventLog();
        int empty = log.add(0, 0, 0, Category.TEMPORARIES, DType.UINT8, new long[] {0}, 0, 0);
        int some = log.add(700, 1024, 0, Category.TEMPORARIES, DType.UINT8, new long[] {700}, 3, 0);
        log.free(empty, 0, 0);
        log.free(some, 0, 0);
        Requests requests = Requests.of(log);
        assertEquals(2, requests.storages());
        assertEquals(2, requests.size());
        assertTrue(requests.isAllocation(0));
        assertFalse(requests.isAllocation(1));
        assertEquals(some, requests.storage(0));
        assertEquals(some, requests.storage(1));
    }

    @Test
    void onlyConvolutionsAskCudnn() {
        Scenario plain = Scenario.defaults()
                .with(BATCH, 64L)
                .on(GpuCatalogue.find("h100-80gb").orElseThrow());
        List<DeviceLine> without = new PredictionRequest(PERCEPTRON, plain).deviceLines();
        List<DeviceLine> with = new PredictionRequest(CONVOLUTION, plain).deviceLines();
        assertEquals(without.size() + 1, with.size(), without + " and " + with);
        assertTrue(with.stream().anyMatch(line -> line.part().equals(DeviceLine.CUDNN)));
    }
}
