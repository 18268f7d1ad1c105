package dev.headroom.executor.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.train.Training;
import dev.headroom.model.device.GpuCatalogue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The device refuses memory, and calls of CUDA's libraries fail, at every place where they can. */
class CudaFaultsTest {
    /** Of a failing call; which one does not matter. */
    private static final int SOME_ERROR = 13;

    private NullCuda device;

    @BeforeEach
    void install() {
        device = NullCuda.install();
    }

    static Stream<FaultScenario> scenarios() {
        return FaultScenario.all()
                .filter(s -> s.name().equals("adam, foreach TRUE") || s.name().startsWith("convolutions"));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyRefusedRequestLeavesNothingOnTheDevice(FaultScenario s) {
        long k = 1;
        while (fails(s, k)) {
            k++;
        }
        assertTrue(k > 50, s + " made " + (k - 1) + " requests");
    }

    private boolean fails(FaultScenario s, long k) {
        device.reset();
        boolean failed = false;
        try (CudaBackend cuda = CudaBackend.open(0)) {
            device.failMemoryRequest(k);
            try {
                run(s, cuda);
            } catch (OutOfMemoryException e) {
                failed = true;
            }
        }
        assertNothingIsLeft(s + ", request " + k);
        return failed;
    }

    @ParameterizedTest
    @CsvSource({
        "cublasGemmEx, perceptron",
        "cublasSetWorkspace_v2, perceptron",
        "cuLaunchKernel, perceptron",
        "cudaMalloc, perceptron",
        "cudnnBackendCreateDescriptor, convolutions",
        "cudnnBackendSetAttribute, convolutions",
        "cudnnBackendExecute, convolutions",
    })
    void everyFailingCallIsNamedAndLeavesNothingOnTheDevice(String call, String name) {
        FaultScenario s = FaultScenario.all()
                .filter(x -> x.name().equals(name))
                .findFirst()
                .orElseThrow();
        int failures = 0;
        for (int k = 1; ; k++) {
            device.reset();
            CudaException failure = null;
            try (CudaBackend cuda = CudaBackend.open(0)) {
                device.failCall(call, k, SOME_ERROR);
                run(s, cuda);
            } catch (CudaException e) {
                failure = e;
            }
            assertNothingIsLeft(call + " " + k);
            if (failure == null) {
                break;
            }
            failures++;
            assertTrue(failure.getMessage().contains(call), failure.getMessage());
            assertEquals(1, failure.getMessage().lines().count());
        }
        assertTrue(failures > 0, call + " was never called");
    }

    private static void run(FaultScenario s, CudaBackend cuda) {
        // Without a cache every tensor is a request to the device.
        AllocatorSettings uncached = AllocatorSettings.defaults().withoutCaching();
        Settings settings = new Settings(
                GpuCatalogue.find("h200").orElseThrow(), s.run().kernels().attention(), 1);
        try (Eager eager = new Eager(new CachingAllocator(uncached, cuda.memory()), cuda, settings);
                Training training = new Training(eager, Preparation.of(s.graph(), s.run()), p -> {})) {
            training.prepare((input, t) -> cuda.random().uniform(t, 0, 1, input.hashCode()));
            training.run();
        }
    }

    private void assertNothingIsLeft(String where) {
        assertEquals(0, device.liveAllocations(), where);
        assertEquals(0, device.liveBytes(), where);
        assertEquals(0, device.liveObjects(), where);
    }
}
