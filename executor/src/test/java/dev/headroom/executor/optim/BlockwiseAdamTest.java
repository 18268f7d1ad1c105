package dev.headroom.executor.optim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.quant.BitsandbytesValues;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** AdamW of eight bits brings parameters where bitsandbytes brings them. */
class BlockwiseAdamTest {
    @Test
    void twoStepsAreTheLibrarys() {
        try (HostBackend host = new HostBackend(1L << 24)) {
            Eager e = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), host.memory()),
                    host,
                    new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1));
            Tensor p = held(e, "adam.before");
            Scenario run =
                    Scenario.builder().optimizer(OptimizerKind.ADAMW_8BIT).build();
            try (Optimizer optimizer = Optimizers.of(e, run, List.of(p))) {
                for (String gradient : List.of("adam.grad0", "adam.grad1")) {
                    Tensor g = held(e, gradient);
                    e.setGrad(p, g);
                    e.release(g);
                    optimizer.step();
                }
                compare(BitsandbytesValues.of("adam.after"), host.read(p));
            }
        }
    }

    /** The library's kernel for CPUs looks some codes up that are the second nearest: one step, a thousandth, is less. */
    private static void compare(double[] expected, double[] got) {
        assertArrayEquals(expected, got, 1e-3);
        long off = IntStream.range(0, got.length)
                .filter(i -> Math.abs(got[i] - expected[i]) > 1e-6)
                .count();
        assertTrue(off < got.length / 50, off + " of " + got.length + " are off");
    }

    private static Tensor held(Eager e, String name) {
        try (var s = e.open()) {
            Tensor t = e.hold(e.empty(DType.FLOAT32, 64, 64));
            e.backend().write(t, BitsandbytesValues.of(name));
            return t;
        }
    }
}
