package dev.headroom.executor.op.recurrent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.scenario.Scenario;
import org.junit.jupiter.api.Test;

/** Bytes of the states of cuDNN's generators: what the library says, else what it is known to say. */
class DropoutStatesTest {
    private static final Gpu H200 = GpuCatalogue.find("h200").orElseThrow();

    /** What cuDNN 9.19 takes on a card of 132 multiprocessors, and what null libraries say. */
    @Test
    void withoutTheLibraryEveryOtherThreadHasOneUnlessItIsANullLibrary() {
        try (HostBackend host = new HostBackend(1L << 26)) {
            assertEquals(132 * 49_152, bytes(host, true));
            assertEquals(132 * 98_304, bytes(host, false));
        }
    }

    @Test
    void theLibraryIsAsked() {
        NullCuda.install().processors(7);
        try (CudaBackend cuda = CudaBackend.open(0)) {
            assertEquals(7 * 98_304, bytes(cuda, true));
        }
    }

    private static long bytes(Backend backend, boolean plans) {
        Settings settings = new Settings(H200, Scenario.Attention.AUTO, 1, false, plans);
        try (Eager e = new Eager(
                        new CachingAllocator(AllocatorSettings.defaults(), backend.memory()), backend, settings);
                var s = e.open()) {
            return DropoutStates.of(e).elements();
        }
    }
}
