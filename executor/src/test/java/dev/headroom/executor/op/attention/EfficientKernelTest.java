package dev.headroom.executor.op.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workspaces of the backward kernel as the real PyTorch asked for them on an H200 (one head). */
class EfficientKernelTest {
    @ParameterizedTest
    @CsvSource({
        "FLOAT16, 1, 512, 200, 1573120",
        "FLOAT16, 40, 65, 200, 15731200",
        "FLOAT16, 60, 512, 200, 55065600",
        "FLOAT16, 201, 65, 200, 52703808",
        "FLOAT32, 3, 64, 64, 49200",
    })
    void takesWhatPyTorchTakes(DType type, long batch, long length, long size, long bytes) {
        try (Backend none = NoKernels.over(1L << 40)) {
            Settings settings = new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.EFFICIENT, 1);
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), none.memory()), none, settings);
            try (Scope s = eager.open()) {
                Tensor q = eager.empty(type, batch, 1, length, size);
                EfficientKernel kernel = EfficientKernel.of(settings.gpu(), q, q, q, true);
                assertEquals(bytes, kernel.workspaceBytes(q, q, q));
            }
        }
    }
}
