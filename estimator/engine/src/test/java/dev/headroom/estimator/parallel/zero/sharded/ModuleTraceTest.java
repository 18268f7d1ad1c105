package dev.headroom.estimator.parallel.zero.sharded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModuleTraceTest {
    private final EagerRuntime runtime = new EagerRuntime(
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)),
            new DeviceModel(9, 0, 132),
            new KernelOptions(0, Scenario.Attention.AUTO));
    private final ShardedParameter a = parameter(0, 100);
    private final ShardedParameter b = parameter(1, 50);
    private final Map<String, List<ShardedParameter>> of = Map.of("a", List.of(a), "b", List.of(b));

    private ShardedParameter parameter(int id, long numel) {
        runtime.frame();
        ShardedParameter p = new ShardedParameter(runtime, id, runtime.empty(DType.FLOAT32, numel), 4, 0);
        p.setStatus(ShardedParameter.Status.SHARDED);
        return p;
    }

    /** Forward through a and b, backward through b and a. */
    private ModuleTrace recorded(long reuseDistance) {
        ModuleTrace trace = new ModuleTrace(of, reuseDistance);
        trace.reset();
        for (String module : List.of("a", "b", "b", "a")) {
            assertFalse(trace.enter(module));
            trace.advance();
        }
        trace.reset();
        return trace;
    }

    @Test
    void isCompleteAfterOnePass() {
        ModuleTrace trace = recorded(0);
        assertTrue(trace.isComplete());
        assertEquals(List.of(4, 4, 4), trace.compared());
    }

    @Test
    void fetchesAheadUntilThereIsEnough() {
        ModuleTrace trace = recorded(0);
        trace.enter("a");
        trace.arrivedAt(List.of(a));
        assertEquals(Set.of(b), trace.ahead(10));
        assertEquals(Set.of(), trace.ahead(0));
    }

    @Test
    void keepsWhatIsUsedAgainSoon() {
        assertEquals(Set.of(b), releasedAfterForward(0));
        assertEquals(Set.of(), releasedAfterForward(1));
    }

    private Set<ShardedParameter> releasedAfterForward(long reuseDistance) {
        ModuleTrace trace = recorded(reuseDistance);
        trace.enter("a");
        trace.arrivedAt(List.of(a));
        trace.advance();
        trace.enter("b");
        trace.arrivedAt(List.of(b));
        trace.advance();
        return trace.unneededAfter("b", List.of(b));
    }

    @Test
    void anotherModuleThanTheRecordedOneEndsTheRecord() {
        ModuleTrace trace = recorded(0);
        assertTrue(trace.enter("b"));
        assertFalse(trace.isComplete());
        assertEquals(Set.of(b), trace.unneededAfter("b", List.of(b)));
    }
}
