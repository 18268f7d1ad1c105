package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.host.HostThread;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.repeat.Remembered;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workspaces are taken once a thread and device, and kept. */
class WorkspacesTest {
    private static final long MIB = 1 << 20;
    private static final long HOPPER = 32 * MIB;

    private static EagerRuntime runtime(String torch, int major, int devices) {
        return runtime(torch, major, devices, true);
    }

    private static EagerRuntime runtime(String torch, int major, int devices, boolean stub) {
        KernelOptions options = new KernelOptions(
                0L,
                null,
                Scenario.Attention.AUTO,
                TorchVersion.of(torch),
                false,
                false,
                CudnnVersion.NEWEST,
                false,
                stub,
                false);
        List<CachingAllocator> allocators = java.util.stream.IntStream.range(0, devices)
                .mapToObj(d -> new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30)))
                .toList();
        EagerRuntime rt = new EagerRuntime(allocators, new DeviceModel(major, 0, 100), options);
        rt.frame();
        return rt;
    }

    private static long allocated(EagerRuntime rt) {
        return rt.allocator().statistics().allocatedBytes().current();
    }

    private static long peak(EagerRuntime rt) {
        return rt.allocator().statistics().allocatedBytes().peak();
    }

    private static final class Noted implements Remembered {}

    @Test
    void aWorkspaceIsTakenOnceAThreadAndDevice() {
        EagerRuntime rt = runtime("2.14", 9, 2);
        Workspaces w = rt.workspaces();
        w.useBlas();
        w.useBlas();
        assertEquals(HOPPER, allocated(rt));
        HostThread main = rt.threads().use(rt.threads().backward(0));
        assertTrue(rt.tape().inBackwardThread());
        w.useBlas();
        w.useBlas();
        assertEquals(2 * HOPPER, allocated(rt));
        rt.threads().use(main);
        assertFalse(rt.tape().inBackwardThread());
        rt.devices().use(1);
        assertEquals(0, allocated(rt));
        w.useBlas();
        assertEquals(HOPPER, allocated(rt));
        assertEquals(HOPPER, rt.devices().memory(1).log().requested(0));
        assertEquals(Category.WORKSPACES, rt.workspace(1).storage().category());
    }

    @Test
    void clearedWorkspacesAreTakenAnew() {
        EagerRuntime rt = runtime("2.10", 8, 1);
        Workspaces w = rt.workspaces();
        w.useBlasLt();
        long both = allocated(rt);
        assertEquals(8 * MIB + 128 * 1024 + MIB, both, "that of cuBLAS and that of cuBLASLt");
        w.clearBlas();
        assertEquals(0, allocated(rt));
        w.useBlasLt();
        assertEquals(both, allocated(rt));
    }

    /** What a product with a bias takes and keeps, by version: see TorchVersion.ltWorkspace. */
    @ParameterizedTest
    @CsvSource({"1.11, 0, 0", "1.13, 1, 0", "2.1, 33, 32", "2.8, 33, 32", "2.11, 33, 33", "2.12, 32, 32", "2.14, 32, 32"
    })
    void productsWithABias(String torch, long most, long kept) {
        EagerRuntime rt = runtime(torch, 9, 1);
        rt.workspaces().useBlasLt();
        assertEquals(kept * MIB, allocated(rt));
        assertEquals(most * MIB, peak(rt));
        rt.workspaces().useBlasLt();
        assertEquals(kept * MIB, allocated(rt));
    }

    /** The seed is a tensor of its own for a moment; the generators stay. */
    @Test
    void cudnnsGeneratorsAreMadeOnce() {
        EagerRuntime rt = runtime("2.14", 9, 2);
        rt.workspaces().useDropoutStates();
        long states = 48L * 100 * 2048;
        assertEquals(states, allocated(rt));
        assertEquals(2, rt.devices().memory(0).log().storages());
        rt.workspaces().useDropoutStates();
        assertEquals(2, rt.devices().memory(0).log().storages());
        rt.devices().use(1);
        rt.workspaces().useDropoutStates();
        assertEquals(states, allocated(rt));
    }

    /** On an H100, which has 132 multiprocessors, 6,488,064 bytes. */
    @Test
    void cudnnHasAGeneratorForEveryOtherThread() {
        EagerRuntime rt = runtime("2.14", 9, 1, false);
        rt.workspaces().useDropoutStates();
        assertEquals(6_488_064L * 100 / 132, allocated(rt), 512);
    }

    @Test
    void aProcessRemembers() {
        Workspaces w = runtime("2.14", 9, 1).workspaces();
        Object graph = new Object();
        assertTrue(w.firstTime(graph));
        assertFalse(w.firstTime(graph));
        assertTrue(w.firstTime(new Object()));
        Noted made = w.remembered(Noted.class, Noted::new);
        assertSame(made, w.remembered(Noted.class, Noted::new));
        assertEquals(0, w.bounds());
        w.noteBound();
        w.noteBound();
        assertEquals(2, w.bounds());
    }

    /** CUDA C++ Programming Guide, technical specifications by compute capability; caches as NVIDIA's papers say. */
    @ParameterizedTest
    @CsvSource({
        "7, 0, 80, 2048, 6",
        "7, 5, 40, 1024, 6",
        "8, 0, 108, 2048, 40",
        "8, 6, 28, 1536, 3",
        "8, 6, 82, 1536, 6",
        "8, 9, 24, 1536, 32",
        "8, 9, 128, 1536, 72",
        "9, 0, 132, 2048, 60",
        "10, 0, 148, 2048, 96",
        "10, 3, 148, 2048, 96",
        "12, 0, 170, 1536, 96",
        "8, 6, 64, 1536, 6",
        "8, 9, 64, 1536, 72"
    })
    void devicesDiffer(int major, int minor, int sms, int threads, long cache) {
        DeviceModel device = new DeviceModel(major, minor, sms);
        assertEquals(threads, device.threadsPerSm());
        assertEquals(cache * MIB, device.l2Bytes());
    }
}
