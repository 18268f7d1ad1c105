package dev.headroom.executor.train;

import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.optim.Optimizers;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GradScalerTest {
    /** The parameter moves by the learning rate times the gradient without its scale, or not at all. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stepsWithInfiniteGradientsAreLeftOut(boolean fused) {
        Scenario run = Scenario.defaults().with(OPTIMIZER, OptimizerKind.SGD).with(FUSED, fused);
        try (HostBackend host = new HostBackend(1L << 26)) {
            Settings settings = new Settings(
                    GpuCatalogue.find("h200").orElseThrow(), run.kernels().attention(), 1);
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), host.memory()), host, settings);
            try (Scope s = eager.open();
                    GradScaler scaler = new GradScaler(eager)) {
                Tensor p = eager.empty(DType.FLOAT32, 2);
                host.write(p, new double[] {1, 2});
                Tensor g = eager.empty(DType.FLOAT32, 2);
                eager.setGrad(p, g);
                Optimizer optimizer = Optimizers.of(eager, run, List.of(p));
                Tensor loss = eager.empty(DType.FLOAT32);
                host.write(loss, new double[] {0.5});
                assertEquals(32768, host.read(scaler.scale(loss))[0]);

                host.write(g, new double[] {65536, -2 * 65536});
                scaler.step(optimizer);
                scaler.update();
                assertEquals(1 - 0.001, host.read(p)[0], 1e-6);
                assertEquals(2 + 0.002, host.read(p)[1], 1e-6);
                assertEquals(65536, scaler.scale());

                host.write(g, new double[] {1, Double.POSITIVE_INFINITY});
                scaler.step(optimizer);
                scaler.update();
                assertEquals(1 - 0.001, host.read(p)[0], 1e-6);
                assertEquals(32768, scaler.scale());
            }
        }
    }
}
