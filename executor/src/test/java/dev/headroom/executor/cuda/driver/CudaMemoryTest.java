package dev.headroom.executor.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.OverNullCuda;
import dev.headroom.executor.cuda.runtime.CudaContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The caching allocator over {@code cudaMalloc} and over the driver's virtual memory. */
@OverNullCuda
class CudaMemoryTest {
    private static final long MIB = 1 << 20;

    private NullCuda device;

    @BeforeEach
    void install() {
        device = NullCuda.install().total(2L << 30);
    }

    @AfterEach
    void nothingIsLeft() {
        assertEquals(0, device.liveAllocations());
        assertEquals(0, device.liveBytes());
        assertEquals(0, device.liveRanges());
        assertEquals(0, device.liveObjects());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "expandable_segments:True"})
    void theAllocatorDecidesAsOverSimulatedMemory(String conf) {
        AllocatorSettings settings = AllocatorSettings.parse(conf);
        try (CudaContext context = CudaContext.open(0)) {
            CachingAllocator real = new CachingAllocator(settings, context.memory());
            CachingAllocator simulated = new CachingAllocator(settings, new SimulatedDeviceMemory(2L << 30));
            run(real, 5);
            run(simulated, 5);
            assertEquals(simulated.statistics().asMap(), real.statistics().asMap());
            assertTrue(real.statistics().numAllocRetries() > 0, "the pattern must reach the device's end");
            assertEquals(
                    real.statistics().reservedBytes().current(),
                    context.memory().bytesOut());
            assertEquals(context.memory().bytesOut(), device.liveBytes());
            real.emptyCache();
            long kept = real.segments().stream().mapToLong(Segment::size).sum();
            assertEquals(kept, context.memory().bytesOut());
        }
    }

    @Test
    void outOfMemoryIsNoErrorOfTheDevice() {
        try (CudaContext context = CudaContext.open(0)) {
            CudaMemory memory = context.memory();
            assertEquals(DeviceMemory.NONE, memory.allocate(3L << 30));
            assertEquals(0, cudart.cudaPeekAtLastError(), "the runtime must not keep the error");
            long address = memory.allocate(5 * MIB);
            assertEquals(memory.total() - 6 * MIB, memory.free());
            assertThrows(IllegalStateException.class, () -> memory.free(address + MIB, MIB));
            memory.free(address, 5 * MIB);
        }
    }

    @Test
    void anyRefusedRequestLeavesTheAllocatorWhole() {
        long requests;
        try (CudaContext context = CudaContext.open(0)) {
            grow(new CachingAllocator(AllocatorSettings.defaults(), context.memory()));
            requests = device.memoryRequests();
        }
        for (long k = 1; k <= requests; k++) {
            device.failMemoryRequest(k);
            try (CudaContext context = CudaContext.open(0)) {
                CachingAllocator allocator = new CachingAllocator(AllocatorSettings.defaults(), context.memory());
                grow(allocator);
                assertEquals(1, allocator.statistics().numAllocRetries(), "request " + k + " is tried again");
            }
            assertEquals(0, device.liveAllocations(), "after request " + k);
        }
    }

    @Test
    void aRefusedGranuleUnmapsTheOthers() {
        try (CudaContext context = CudaContext.open(0)) {
            CudaMemory memory = context.memory();
            long range = memory.reserveAddresses(64 * MIB);
            device.failMemoryRequest(3);
            assertEquals(false, memory.map(range, 8 * MIB, 2 * MIB));
            assertEquals(0, memory.bytesOut());
            assertEquals(0, device.liveBytes());
            device.failCall("cuMemSetAccess", 1, 1);
            CudaException e = assertThrows(CudaException.class, () -> memory.map(range, 8 * MIB, 2 * MIB));
            assertEquals("cuMemSetAccess failed with 1 (CUDA_ERROR_INVALID_VALUE, invalid argument)", e.getMessage());
            assertEquals(0, device.liveBytes());
            assertTrue(memory.map(range + 4 * MIB, 4 * MIB, 2 * MIB));
            memory.unmap(range + 4 * MIB, 2 * MIB, 2 * MIB);
            assertEquals(2 * MIB, memory.bytesOut());
            // Closing unmaps the rest and gives the addresses back.
        }
    }

    @Test
    void otherErrorsAreThrownAndClosingGoesOn() {
        device.failCall("cudaMalloc", 2, 700);
        CudaContext context = CudaContext.open(0);
        context.memory().allocate(MIB);
        CudaException e =
                assertThrows(CudaException.class, () -> context.memory().allocate(MIB));
        assertEquals(700, e.status());
        assertTrue(e.getMessage().startsWith("cudaMalloc failed with 700 (cudaErrorIllegalAddress"), e::getMessage);
        context.memory().allocate(MIB);
        device.failCall("cublasDestroy_v2", 1, 13);
        context.blas(CudaContext.BlasThread.FORWARD);
        CudaException closing = assertThrows(CudaException.class, context::close);
        assertEquals("cublasDestroy_v2", closing.call());
        assertEquals(0, device.liveBytes());
        // The handle whose destruction failed is the null library's to keep.
        assertEquals(1, device.liveObjects());
        cublas.cublasDestroy_v2(context.blas(CudaContext.BlasThread.FORWARD));
    }

    private static void grow(CachingAllocator allocator) {
        for (long size : new long[] {100, 3 * MIB, 30 * MIB, 12 * MIB, 300 * MIB}) {
            allocator.allocate(size, 0);
        }
    }

    /** Random requests that at times exceed the device, so that cached memory is given back and asked for again. */
    private static void run(CachingAllocator allocator, long seed) {
        Random random = new Random(seed);
        List<Integer> blocks = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            if (!blocks.isEmpty() && random.nextInt(5) < 2) {
                allocator.free(blocks.remove(random.nextInt(blocks.size())));
            } else {
                try {
                    blocks.add(allocator.allocate(1 + (long) Math.pow(random.nextDouble() * 600, 3), 0));
                } catch (OutOfMemoryException e) {
                    allocator.free(blocks.remove(random.nextInt(blocks.size())));
                }
            }
        }
    }
}
