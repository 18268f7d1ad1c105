package dev.headroom.estimator.parallel.zero.flat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlatGroupTest {
    private final EagerRuntime runtime = new EagerRuntime(
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)),
            new DeviceModel(9, 0, 132),
            new KernelOptions(0, Scenario.Attention.AUTO));

    private Tensor parameter(long numel) {
        runtime.frame();
        return runtime.empty(DType.FLOAT32, numel);
    }

    @Test
    void theBufferIsCutEvenly() {
        Tensor large = parameter(7);
        Tensor small = parameter(2);
        FlatGroup group = new FlatGroup(runtime, List.of(large, small), 2, 1, false);
        assertEquals(6, group.partition());
        assertEquals(List.of(new Slice(0, 0, 6), new Slice(1, 6, 1)), group.slices(large));
        assertEquals(List.of(new Slice(1, 0, 2)), group.slices(small));
        assertEquals(List.of(large, small), group.own());
        assertEquals(3, group.ownPadding());
    }

    @Test
    void aRankMayHaveNothing() {
        Tensor only = parameter(3);
        FlatGroup group = new FlatGroup(runtime, List.of(only), 4, 3, false);
        assertEquals(2, group.partition());
        assertNull(group.own(only));
        assertEquals(List.of(), group.own());
    }

    @Test
    void parametersMayBeDealtInTurns() {
        Tensor a = parameter(4);
        Tensor b = parameter(4);
        Tensor c = parameter(4);
        FlatGroup group = new FlatGroup(runtime, List.of(a, b, c), 2, 0, true);
        assertEquals(List.of(a, c), group.own());
    }

    @Test
    void parametersMoveIntoTheBuffer() {
        Tensor a = parameter(1000);
        FlatGroup group = new FlatGroup(runtime, List.of(a, parameter(24)), 2, 0, false);
        group.flatten();
        assertEquals(1024 * 4, a.storage().bytes());
    }
}
