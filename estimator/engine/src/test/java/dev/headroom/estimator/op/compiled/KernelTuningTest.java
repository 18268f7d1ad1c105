package dev.headroom.estimator.op.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.compiled.CompiledCode;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelTuningTest {
    private static final long CACHE = 50L << 20;
    private static final String KERNEL = "triton_poi_fused_add_0";

    private final CachingAllocator allocator =
            new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 40));
    private final EagerRuntime rt = new EagerRuntime(
            allocator, new DeviceModel(9, 0, 132, CACHE), new KernelOptions(0, Scenario.Attention.AUTO));
    private final KernelTuning tuning = KernelTuning.of(rt);
    private final CompiledCode code = code();
    private final List<Long> events = new ArrayList<>();

    KernelTuningTest() {
        rt.frame();
    }

    private static CompiledCode code() {
        return new CompiledCode(List.of(), List.of(), Map.of(), Map.of());
    }

    private Tensor of(long... sizes) {
        return rt.empty(DType.FLOAT32, sizes);
    }

    /** Sizes that are asked for, less those that are let go of. */
    private List<Long> run(CompiledCode of, String kernel, List<Tensor> others, List<Tensor> changed, boolean sparing) {
        events.clear();
        allocator.setListener((action, address, bytes, stream, pool) -> {
            if (action == Action.ALLOC) {
                events.add(bytes);
            } else if (action == Action.FREE_REQUESTED) {
                events.add(-bytes);
            }
        });
        tuning.run(of, kernel, changed, others, sparing);
        return List.copyOf(events);
    }

    @Test
    void eachWayRunsOnCopiesAndThenOverTheCache() {
        Tensor over = of(1024);
        Tensor read = of(1024);
        List<Long> way = List.of(4096L, -4096L, CACHE, 4096L, -4096L, -CACHE);
        List<Long> both = new ArrayList<>(way);
        both.addAll(way);
        assertEquals(both, run(code, KERNEL, List.of(read), List.of(over), false));
    }

    @Test
    void aKernelIsTunedOnceInEachCode() {
        Tensor x = of(1024);
        List<Long> first = run(code, KERNEL, List.of(x), List.of(), false);
        assertEquals(List.of(CACHE, -CACHE, CACHE, -CACHE), first);
        assertEquals(List.of(), run(code, KERNEL, List.of(x), List.of(), false));
        assertEquals(first, run(code(), KERNEL, List.of(x), List.of(), false));
        assertEquals(first, run(code, "triton_poi_fused_mul_1", List.of(x), List.of(), false));
    }

    @Test
    void copiesThatWouldBeANewPeakAreMadeOnTheHost() {
        Tensor x = of(1024);
        assertEquals(
                List.of(CACHE, -CACHE),
                run(code, KERNEL, List.of(), List.of(x), true).subList(0, 2));
        List<Long> later = run(code, "triton_poi_fused_mul_1", List.of(), List.of(x), true);
        assertEquals(List.of(4096L, -4096L, CACHE), later.subList(0, 3), "the peak is the first kernel's cache now");
    }

    @ParameterizedTest
    @CsvSource({
        "triton_red_fused_sum_0, 1024, false",
        "triton_per_fused_sum_0, 1024, false",
        "triton_for_fused_0, 1024, false",
        "triton_poi_fused_add_0, 128, false",
        "triton_poi_fused_add_0, 129, true"
    })
    void pointwiseKernelsAreTunedButForSmallOnes(String kernel, long points, boolean tuned) {
        assertEquals(
                tuned, !run(code, kernel, List.of(of(points)), List.of(), false).isEmpty());
    }

    @Test
    void whatOnlyTurnsDimensionsIsNotTuned() {
        Tensor from = of(64, 32);
        Tensor turned = rt.emptyStrided(DType.FLOAT32, new long[] {64, 32}, new long[] {1, 64});
        assertEquals(List.of(), run(code, KERNEL, List.of(from, turned), List.of(), false));
        assertEquals(
                4,
                run(code, KERNEL, List.of(from, turned, of(32)), List.of(), false)
                        .size());
        assertEquals(
                4,
                run(code, "triton_poi_fused_copy_1", List.of(from, of(64, 32)), List.of(), false)
                        .size());
    }
}
