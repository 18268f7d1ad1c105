package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.api.Test;

/** Regions of autocast, and the casts that live as long as the outermost. */
class AutocastModeTest {
    private static final AutocastMode.State BF16 = new AutocastMode.State(true, DType.BFLOAT16, true);
    private static final AutocastMode.State OFF = new AutocastMode.State(false, DType.FLOAT16, true);

    private final EagerRuntime rt = new EagerRuntime(
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)),
            new DeviceModel(9, 0, 132),
            new KernelOptions(0, Scenario.Attention.AUTO));
    private final AutocastMode autocast = rt.autocast();

    private long allocated() {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    @Test
    void regionsNest() {
        assertFalse(autocast.active());
        AutocastMode.State outside = autocast.enter(BF16);
        assertTrue(autocast.active());
        assertEquals(DType.BFLOAT16, autocast.type());
        AutocastMode.State outer = autocast.enter(OFF);
        assertEquals(BF16, outer);
        assertFalse(autocast.active());
        autocast.exit(outer);
        assertTrue(autocast.active());
        assertEquals(BF16, autocast.state());
        autocast.exit(outside);
        assertFalse(autocast.active());
    }

    /** The kernel of an operator that was intercepted calls others that are not. */
    @Test
    void kernelsAreExcluded() {
        AutocastMode.State outside = autocast.enter(BF16);
        assertFalse(autocast.exclude(true));
        assertFalse(autocast.active());
        assertTrue(autocast.exclude(false));
        assertTrue(autocast.active());
        autocast.exit(outside);
    }

    @Test
    void castsEndWithTheOutermostRegion() {
        Frame f = rt.frame();
        Tensor weight = rt.hold(rt.empty(DType.FLOAT32, 256));
        AutocastMode.State outside = autocast.enter(BF16);
        try (Frame operator = rt.frame()) {
            autocast.keep(weight, rt.empty(DType.BFLOAT16, 256));
        }
        assertEquals(1024 + 512, allocated());
        Tensor cast = autocast.castOf(weight);
        AutocastMode.State outer = autocast.enter(OFF);
        autocast.exit(outer);
        assertSame(cast, autocast.castOf(weight));
        autocast.exit(outside);
        assertNull(autocast.castOf(weight));
        assertEquals(1024, allocated());
        f.close();
    }

    /** ATen/autocast_mode.cpp, cached_cast: leaves that want gradients and are no views. */
    @Test
    void castsOfWeightsAreKept() {
        Frame f = rt.frame();
        Tensor weight = rt.empty(DType.FLOAT32, 256);
        rt.requireGrad(weight, true);
        assertTrue(autocast.keepsCastOf(weight));
        assertFalse(autocast.keepsCastOf(rt.empty(DType.FLOAT32, 256)), "wants no gradient");
        Tensor half = rt.empty(DType.FLOAT16, 256);
        rt.requireGrad(half, true);
        assertFalse(autocast.keepsCastOf(half), "is low already");
        Tensor made = rt.empty(DType.FLOAT32, 256);
        Recorder r = rt.record("Op", weight);
        r.output(made);
        assertFalse(autocast.keepsCastOf(made), "an activation");
        Tensor view = rt.view(weight, new long[] {256}, new long[] {1}, 0);
        rt.requireGrad(view, true);
        assertFalse(autocast.keepsCastOf(view));
        AutocastMode.State outside = autocast.enter(new AutocastMode.State(true, DType.BFLOAT16, false));
        assertFalse(autocast.keepsCastOf(weight), "cache_enabled=False");
        autocast.exit(outside);
        f.close();
    }
}
