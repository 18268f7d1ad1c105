package dev.headroom.executor.train;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real convolutional networks, with values on the host: they learn a batch by heart. */
class ConvolutionalTrainingTest {
    private static final int STEPS = 3;

    @ParameterizedTest
    @ValueSource(strings = {"mnasnet1_0-i86", "cnn-small"})
    void lossFalls(String model) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 2L)
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(ScenarioSettings.STEPS, STEPS);
        if (model.startsWith("cnn-")) {
            run = run.with(LOSS, LossKind.MSE);
        }
        try (HostBackend host = new HostBackend(8L << 30)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                    host,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            run.kernels().attention(),
                            1));
            Training training = new Training(
                    eager, Preparation.of(Importers.read(Fixtures.models().resolve(model + ".pt2")), run), phase -> {});
            training.prepare((name, t) -> fill(host, name, t));
            training.step(0);
            double first = training.loss();
            for (int s = 1; s < STEPS; s++) {
                training.step(s);
            }
            double last = training.loss();
            assertTrue(last < first, () -> first + " to " + last);
        }
    }

    private static void fill(HostBackend host, String name, Tensor t) {
        boolean classes = t.dtype() == DType.INT64;
        host.random().uniform(t, classes ? 0 : -1, classes ? 10 : 1, name.hashCode());
    }
}
