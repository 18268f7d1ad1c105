package dev.headroom.executor.train;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainingTest {
    @Test
    void perceptronLearnsWhatItIsShown() {
        Graph graph = Model.of("mlp", Sequential.of(Layers.linear(4, 32), Layers.tanh(), Layers.linear(32, 1)))
                .input("x", DType.FLOAT32, Model.BATCH, 4)
                .graph();
        Scenario run = Scenario.defaults()
                .with(BATCH, 16L)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(LOSS, LossKind.MSE);
        try (HostBackend host = new HostBackend(1L << 30)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                    host,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            run.kernels().attention(),
                            1));
            List<PhaseMemory> phases = new ArrayList<>();
            Training training = new Training(eager, Preparation.of(graph, run), phases::add);
            training.prepare((name, t) -> host.random().uniform(t, -1, 1, name.hashCode()));
            training.step(0);
            double first = training.loss();
            for (int s = 1; s < 200; s++) {
                training.step(s);
            }
            assertTrue(training.loss() < first, () -> first + " to " + training.loss());
            assertEquals(
                    phases.get(12).allocated(), phases.get(phases.size() - 5).allocated());
        }
    }
}
