package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.dropout;
import static dev.headroom.model.dsl.Layers.flatten;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of an answer belong together: sums, peaks, shares of layers, verdicts and what is warned of. */
class SummaryTest {
    private static final long MIB = 1 << 20;
    private static final Layer FIRST = linear(784, 2000);
    private static final Graph PERCEPTRON = Model.of("perceptron", Sequential.of(FIRST, relu(), linear(2000, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 784)
            .graph();
    private static final Graph CONVOLUTION = Model.of(
                    "convolution",
                    Sequential.of(conv2d(3, 8, 3, 1, 1), relu(), dropout(0.5), flatten(), linear(8192, 10)))
            .input("x", DType.FLOAT32, Model.BATCH, 3, 32, 32)
            .graph();

    private static Scenario run() {
        return Scenario.defaults().with(BATCH, 64L).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
    }

    private static Gpu gpu(String name) {
        return GpuCatalogue.find(name).orElseThrow();
    }

    private static Prediction predict(Graph graph, Scenario run) {
        return Predictor.predict(new PredictionRequest(graph, run));
    }

    private static Scenario on(String gpu, Long memory, long inUse, Long limit) {
        return run().withDevice(new DeviceBudget(gpu == null ? null : gpu(gpu), memory, inUse, limit));
    }

    @Test
    void categoriesAndRoundingAddUpToThePeak() {
        for (Graph graph : List.of(PERCEPTRON, CONVOLUTION)) {
            Prediction p = predict(graph, run().on(gpu("rtx-3090")));
            long alive = p.atPeak().values().stream().mapToLong(Long::longValue).sum();
            assertEquals(p.peak().allocated(), alive + p.rounding());
            assertTrue(p.rounding() >= 0 && p.rounding() < 512 * 100, p.rounding() + " bytes of rounding");
            assertTrue(p.peak().allocated() + p.cachedFree() <= p.peak().reserved());
            assertTrue(p.peak().device() > p.peak().reserved(), "CUDA's context");
            assertEquals(Category.values().length, p.atPeak().size());
            long highest = p.phases().get(p.phases().size() - 1).maxAllocated();
            assertEquals(highest, p.peak().allocated());
        }
    }

    @Test
    void withoutACardNoContextIsCounted() {
        Prediction p = predict(PERCEPTRON, run());
        assertEquals(p.peak().reserved(), p.peak().device());
        assertNull(p.device());
        assertNull(p.verdict().fits());
        assertNull(p.verdict().headroom());
        assertNull(p.verdict().probabilityOom());
        assertNotNull(p.verdict().minimumMemory());
    }

    /** Layers in the order of execution, their shares by hand; whoever owns what is alive, it is told once. */
    @Test
    void sharesOfLayers() {
        Prediction p = predict(PERCEPTRON, run());
        Map<String, LayerShare> byOperator =
                p.layers().stream().collect(Collectors.toMap(l -> l.module() + " " + l.operator(), l -> l));
        LayerShare first = byOperator.get("0 aten.linear");
        assertEquals(4L * (784 * 2000 + 2000), first.parameters());
        assertEquals(first.parameters(), first.gradients());
        assertEquals(2 * first.parameters(), first.optimizerState(), "two moments of Adam");
        LayerShare relu = byOperator.get("1 aten.relu");
        assertEquals(0, relu.parameters());
        assertEquals(4L * 64 * 2000, relu.saved(), "its result, which the next layer keeps as well");
        assertEquals(4L * (2000 * 10 + 10), byOperator.get("2 aten.linear").parameters());
        List<String> names = p.layers().stream().map(LayerShare::operator).toList();
        assertEquals(List.of("aten.linear", "aten.relu", "aten.linear"), names.subList(0, 3));
        assertEquals(
                p.atPeak().values().stream().mapToLong(Long::longValue).sum(),
                p.layers().stream().mapToLong(LayerShare::peakShare).sum());
    }

    /** Weights that two modules read belong to the first. */
    @Test
    void sharedWeightsBelongToTheirFirstReader() {
        Layer shared = linear(64, 64, false);
        Graph graph = Model.of("shared", Sequential.of(shared, relu(), shared))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
        List<LayerShare> layers = predict(graph, run()).layers();
        assertEquals(
                4 * 64 * 64, layers.stream().mapToLong(LayerShare::parameters).sum());
        assertEquals(4 * 64 * 64, layers.get(0).parameters());
    }

    @Test
    void headroomIsWhatIsLeftOfTheRoom() {
        Scenario run = on("rtx-3090", null, 3 * MIB, null);
        Prediction p = predict(PERCEPTRON, run);
        assertEquals(
                gpu("rtx-3090").memory() - 3 * MIB - p.peak().device(),
                p.verdict().headroom());
        assertTrue(p.verdict().fits());
        assertTrue(p.verdict().probabilityOom() < 0.01);
        assertEquals(3 * MIB, p.device().inUse());
        Prediction limited = predict(PERCEPTRON, on("rtx-3090", null, 0, 200 * MIB));
        assertEquals(200 * MIB - limited.peak().reserved(), limited.verdict().headroom());
        Prediction onlyLimit = predict(PERCEPTRON, on(null, null, 0, 200 * MIB));
        assertEquals(
                200 * MIB - onlyLimit.peak().reserved(), onlyLimit.verdict().headroom());
        assertTrue(onlyLimit.verdict().fits());
    }

    /** What does not fit misses what it needs at least; it gets through with exactly that. */
    @Test
    void whatIsMissingIsWhatItTakesToGetThrough() {
        Prediction fails = predict(PERCEPTRON, on(null, 40 * MIB, 0, null));
        assertFalse(fails.verdict().fits());
        assertNotNull(fails.oom());
        long needed = fails.verdict().minimumMemory();
        assertEquals(40 * MIB - needed, fails.verdict().headroom());
        assertTrue(fails.verdict().probabilityOom() > 0.5);
        assertTrue(predict(PERCEPTRON, on(null, needed, 0, null)).verdict().fits());
        assertFalse(predict(PERCEPTRON, on(null, needed - 2 * MIB, 0, null))
                .verdict()
                .fits());
        assertEquals(fails.oom().moment().inStep(), fails.peak().moment());
    }

    @Test
    void aCardOfWhichNothingIsLeftIsRefused() {
        long memory = 60 * MIB;
        UserInputException e =
                assertThrows(UserInputException.class, () -> predict(PERCEPTRON, on("rtx-3090", memory, 0, null)));
        assertTrue(e.getMessage().startsWith("`memory`: "), e.getMessage());
        e = assertThrows(
                UserInputException.class, () -> predict(PERCEPTRON, on("rtx-3090", 600 * MIB, 590 * MIB, null)));
        assertTrue(e.getMessage().startsWith("`in_use`: " + 590 * MIB + " bytes in use and "), e.getMessage());
    }

    @Test
    void roomIsTheLeastOfWhatIsFreeAndTheLimit() {
        assertEquals(100 * MIB, Predictor.room(new PredictionRequest(PERCEPTRON, on(null, 120 * MIB, 20 * MIB, null))));
        assertEquals(7, Predictor.room(new PredictionRequest(PERCEPTRON, on(null, 120 * MIB, 0, 7L))));
        assertEquals(100 * MIB, Predictor.room(new PredictionRequest(PERCEPTRON, on(null, 100 * MIB, 0, 300 * MIB))));
        assertEquals(7, Predictor.room(new PredictionRequest(PERCEPTRON, on(null, null, 0, 7L))));
        assertNull(Predictor.room(new PredictionRequest(PERCEPTRON, run())));
    }

    @Test
    void settingsThatPyTorchRejectsAreNamed() {
        UserInputException e = assertThrows(
                UserInputException.class, () -> predict(PERCEPTRON, run().with(ALLOC_CONF, "max_split_size_mb:1")));
        assertTrue(e.getMessage().startsWith("`alloc_conf`: "), e.getMessage());
    }

    @Test
    void whatIsAssumedIsSaid() {
        assertWarned("no GPU named", true, run());
        assertWarned("no GPU named", false, run().on(gpu("rtx-3090")));
        assertWarned("LBFGS: steps are taken", true, run().with(OPTIMIZER, OptimizerKind.LBFGS));
        assertWarned("LBFGS: steps are taken", false, run());
        assertWarned("`parallel=ddp` is played on one GPU", true, run().with(PARALLEL, ParallelKind.DDP));
        assertWarned("is played on one GPU", false, run());
    }

    private static void assertWarned(String words, boolean expected, Scenario run) {
        List<String> warnings = predict(PERCEPTRON, run).warnings();
        assertEquals(expected, warnings.stream().anyMatch(w -> w.contains(words)), warnings::toString);
    }

    /** Cards that differ in their memory alone are answered from one play, and each as if it were the only one. */
    @ParameterizedTest
    @ValueSource(strings = {"", "max_split_size_mb:64"})
    void sharedAnswersAreTheSame(String conf) {
        SharedPredictor shared = new SharedPredictor();
        for (Graph graph : List.of(PERCEPTRON, CONVOLUTION)) {
            for (Long memory : new Long[] {40 * MIB, 4096 * MIB, 60 * MIB, null}) {
                Scenario run = on(null, memory, 0, null).with(ALLOC_CONF, conf);
                PredictionRequest request = new PredictionRequest(graph, run);
                Prediction alone = Predictor.predict(request);
                Prediction one = shared.predict(request);
                assertEquals(alone.verdict(), one.verdict());
                assertEquals(alone.peak(), one.peak());
                assertEquals(alone.phases(), one.phases());
                assertEquals(alone.layers(), one.layers());
                assertEquals(alone.certainty(), one.certainty());
                assertEquals(alone.warnings(), one.warnings());
            }
            for (String card : List.of("rtx-3090", "h100-80gb", "rtx-3060", "rtx-3090")) {
                PredictionRequest request = new PredictionRequest(graph, on(card, null, 0, null));
                assertEquals(
                        Predictor.predict(request).peak(),
                        shared.predict(request).peak(),
                        card);
            }
        }
    }
}
