package dev.headroom.estimator.op.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What index_put and histc took to look at many elements: PyTorch 2.11 on an H100, 2.14 over null libraries. */
class ExtremaTest {
    /** Two results of 512 bytes or one, staging and semaphores, and no comparison while they last. */
    @ParameterizedTest
    @CsvSource({
        "INT64, 1000000, false, 984",
        "INT64, 10000000, false, 4224",
        "INT64, 1000000, true, 1968",
        "INT64, 10000000, true, 8448",
        "FLOAT32, 1000000, false, 492",
        "FLOAT32, 10000000, true, 4224"
    })
    void staging(DType type, long elements, boolean together, long staging) {
        EagerRuntime rt = new EagerRuntime(
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 32)),
                new DeviceModel(9, 0, 132),
                new KernelOptions(0, Scenario.Attention.AUTO));
        rt.frame();
        Tensor t = rt.empty(type, elements);
        long before = rt.allocator().statistics().allocatedBytes().current();
        Extrema.read(rt, t, together, true);
        long results = together ? 1024 : 512;
        long semaphores = 512;
        long peak = rt.allocator().statistics().allocatedBytes().peak() - before;
        assertEquals(results + (staging + 511) / 512 * 512 + semaphores, peak);
        assertEquals(before, rt.allocator().statistics().allocatedBytes().current());
    }
}
