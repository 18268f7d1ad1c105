package dev.headroom.executor.cuda;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.train.Training;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Models of full size on a null device that hands out addresses and computes nothing: the cuda backend takes the memory
 * that a backend without kernels takes, byte for byte.
 */
class CudaMemoryDisciplineTest {
    private static final long BYTES = 80L << 30;

    private static NullCuda device;

    @BeforeAll
    static void install() {
        device = NullCuda.install();
    }

    @ParameterizedTest
    @CsvSource({
        "resnet50-i224, 32",
        "vgg16-i224, 16",
        "densenet169-i512, 8",
        "unet-i256, 4",
        "gpt2-s512, 4",
        "bert-base-cls-s128, 16",
        "vit_b_16-i224, 8"
    })
    void memoryDoesNotDependOnTheBackend(String model, long batch) {
        Scenario run = Scenario.defaults().with(BATCH, batch);
        assertNoDifference(Importers.read(Fixtures.models().resolve(model + ".pt2")), run);
    }

    /** Layers that drop what goes from one to the next, whose generators both passes need. */
    @ParameterizedTest
    @ValueSource(strings = {"gru-3", "lstm-drop-bi", "rnn-tanh"})
    void recurrentLayersDrop(String model) {
        Path archive = Fixtures.folder().resolve("wild").resolve(model + ".pt2");
        assertNoDifference(Importers.read(archive), Scenario.defaults().with(BATCH, 4L));
    }

    private static void assertNoDifference(Graph graph, Scenario scenario) {
        Scenario run = scenario.with(OPTIMIZER, OptimizerKind.ADAMW).with(STEPS, 2);
        List<PhaseMemory> expected = phases(NoKernels.over(BYTES), graph, run);
        try (CudaBackend cuda = CudaBackend.open(0)) {
            assertEquals(expected, phases(cuda, graph, run));
        }
        assertEquals(0, device.liveAllocations());
        assertEquals(0, device.liveObjects());
    }

    private static List<PhaseMemory> phases(Backend backend, Graph graph, Scenario run) {
        List<PhaseMemory> phases = new ArrayList<>();
        try (Eager e = BothBackends.eager(backend);
                Training training = new Training(e, Preparation.of(graph, run), phases::add)) {
            training.prepare((name, t) -> {});
            training.run();
        }
        return phases;
    }
}
