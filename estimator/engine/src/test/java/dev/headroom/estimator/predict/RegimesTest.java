package dev.headroom.estimator.predict;

import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CONVERTS_ON_DEVICE;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.NEW_BATCHES;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_BEFORE_BACKWARD;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;
import static dev.headroom.model.scenario.TrainerSettings.OPTIM_TARGET_MODULES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Optimizers, kept gradients and versions in whole runs of a small network on an A100. */
class RegimesTest {
    /** Parameters of ResNet-18: 11 689 512 float32. */
    private static final long TRAINED = 4L * 11_689_512;

    private static final Graph RESNET18 = Importers.read(model("resnet18-i224"));

    private static Path model(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve("fixtures").resolve("models").resolve(name + ".pt2");
            if (Files.exists(file)) {
                return file;
            }
        }
        throw new IllegalStateException("no fixtures/models/" + name + ".pt2");
    }

    private static Scenario run(OptimizerKind kind) {
        Scenario run =
                Scenario.defaults().with(BATCH, 2L).with(OPTIMIZER, kind).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        return kind.projects() ? run.with(OPTIM_TARGET_MODULES, List.of("all-linear")) : run;
    }

    private static Prediction prediction(Scenario run) {
        return Predictor.predict(new PredictionRequest(
                RESNET18, run.on(GpuCatalogue.find("a100-80gb").orElseThrow())));
    }

    private static List<PhaseMemory> phases(Scenario run) {
        return prediction(run).phases();
    }

    private static long allocated(List<PhaseMemory> phases, Phase phase, Integer step) {
        return phases.stream()
                .filter(p -> p.phase() == phase && java.util.Objects.equals(p.step(), step))
                .findFirst()
                .orElseThrow()
                .allocated();
    }

    /** Statistics of 4.7 thousand million bfloat16 values, as PyTorch 2.14.1 takes them: in a copy as float32. */
    @Test
    void hugeBatchNormsCopyBfloat16() {
        Scenario run = run(OptimizerKind.ADAMW)
                .with(BATCH, 3938L)
                .with(AMP, DType.BFLOAT16)
                .with(STEPS, 1);
        PhaseMemory forward = Predictor.predict(new PredictionRequest(
                        Importers.read(model("mobilenet_v2-i224")),
                        run.withDevice(
                                new DeviceBudget(GpuCatalogue.find("a100-80gb").orElseThrow(), 1000L << 30, 0, null))))
                .phases()
                .get(3);
        assertEquals(Phase.FORWARD, forward.phase());
        assertEquals(156_447_043_584L, forward.allocated());
        assertEquals(156_917_629_952L, forward.maxAllocated());
    }

    @ParameterizedTest
    @EnumSource(
            value = OptimizerKind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"MUON", "SPARSE_ADAM"}) // they take matrices alone, and sparse gradients alone
    void oneMoreStepChangesNoEarlierPhase(OptimizerKind kind) {
        Scenario run = run(kind);
        List<PhaseMemory> three = phases(run);
        run = run.with(STEPS, 4);
        assertEquals(three, phases(run).subList(0, three.size()));
    }

    @Test
    void keptGradientsStay() {
        Scenario run = run(OptimizerKind.ADAMW);
        List<PhaseMemory> dropped = phases(run);
        run = run.with(ZERO_GRAD_KEEP, true);
        List<PhaseMemory> kept = phases(run);
        long freed = allocated(dropped, Phase.OPTIMIZER, 0) - allocated(dropped, Phase.ZERO_GRAD, 1);
        assertTrue(freed >= TRAINED && freed < 1.05 * TRAINED, "all gradients, rounded: " + freed);
        assertEquals(allocated(kept, Phase.OPTIMIZER, 0), allocated(kept, Phase.ZERO_GRAD, 1));
        assertTrue(allocated(kept, Phase.FORWARD, 1) >= allocated(dropped, Phase.FORWARD, 1) + 0.95 * TRAINED);
    }

    @Test
    void gradientsStayedByDefaultBefore2() {
        Scenario run = run(OptimizerKind.SGD).with(TORCH, TorchVersion.of("1.8"));
        List<PhaseMemory> old = phases(run);
        assertEquals(allocated(old, Phase.OPTIMIZER, 0), allocated(old, Phase.ZERO_GRAD, 1));
        run = run.with(TORCH, TorchVersion.of("2.0"));
        List<PhaseMemory> changed = phases(run);
        assertTrue(allocated(changed, Phase.OPTIMIZER, 0) - allocated(changed, Phase.ZERO_GRAD, 1) >= TRAINED);
    }

    /** The network ends in one linear layer: a workspace for the forward thread and one for the backward thread. */
    @ParameterizedTest
    @CsvSource({"1.13, 0", "2.0, 17039360", "2.6, 17039360", "2.9, 18087936", "2.14, 17039360"})
    void blasWorkspacesByVersion(String torch, long bytes) {
        Scenario run = run(OptimizerKind.SGD).with(TORCH, TorchVersion.of(torch));
        assertEquals(bytes, prediction(run).atPeak().getOrDefault(Category.WORKSPACES, 0L));
    }

    @Test
    void gradientsThatAreDroppedLateLiveThroughTheForwardPass() {
        Scenario run = run(OptimizerKind.SGD);
        List<PhaseMemory> early = phases(run);
        run = run.with(ZERO_GRAD_BEFORE_BACKWARD, true);
        List<PhaseMemory> late = phases(run);
        assertTrue(allocated(late, Phase.FORWARD, 1) >= allocated(early, Phase.FORWARD, 1) + TRAINED);
        long left = allocated(late, Phase.BACKWARD, 1) - allocated(early, Phase.BACKWARD, 1);
        assertTrue(Math.abs(left) < 0.05 * TRAINED, "the same but for rests of blocks: " + left);
    }

    @Test
    void anotherBatchTakesThePlaceOfTheOneBefore() {
        Scenario run = run(OptimizerKind.SGD);
        List<PhaseMemory> same = phases(run);
        run = run.with(NEW_BATCHES, true);
        List<PhaseMemory> fresh = phases(run);
        long more = allocated(fresh, Phase.FORWARD, 2) - allocated(same, Phase.FORWARD, 2);
        assertTrue(Math.abs(more) < 0.05 * TRAINED, "one batch, but for rests of blocks: " + more);
    }

    /** Bytes that PyTorch 2.14.1 recorded for {@code resnet18().cuda().half()}. */
    @Test
    void conversionOnTheDeviceHoldsBothTypesFromTensorToTensor() {
        Scenario run = run(OptimizerKind.NONE).with(DTYPE, DType.FLOAT16).with(CONVERTS_ON_DEVICE, true);
        PhaseMemory model = phases(run).get(0);
        assertEquals(23_421_440, model.allocated());
        assertEquals(46_916_096, model.maxAllocated());
        assertEquals(67_108_864, model.reserved());
    }

    @Test
    void adagradsStateIsThereWhenTheModelIs() {
        long plain = allocated(phases(run(OptimizerKind.SGD)), Phase.MODEL, null);
        long state = allocated(phases(run(OptimizerKind.ADAGRAD)), Phase.MODEL, null) - plain;
        assertTrue(state >= TRAINED && state < 1.05 * TRAINED, "one copy, rounded: " + state);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.4", "2.15", "newest"})
    void refusesOtherVersions(String torch) {
        assertTrue(
                assertThrows(UserInputException.class, () -> Scenario.builder().torch(torch))
                        .getMessage()
                        .startsWith("`torch`: "));
    }

    @Test
    void oldAllocatorSettingsAreNotGuessed() {
        Scenario run =
                run(OptimizerKind.SGD).with(TORCH, TorchVersion.of("1.8")).with(ALLOC_CONF, "max_split_size_mb:128");
        assertTrue(assertThrows(UserInputException.class, () -> phases(run))
                .getMessage()
                .startsWith("`alloc_conf`: "));
    }
}
