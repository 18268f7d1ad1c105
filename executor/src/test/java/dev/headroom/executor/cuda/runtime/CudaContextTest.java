package dev.headroom.executor.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.runtime.CudaContext.BlasThread;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CudaContextTest {
    private static final long TOTAL = 8L << 30;
    private static final long CONTEXT = 500L << 20;

    private NullCuda device;

    @BeforeEach
    void install() {
        device = NullCuda.install().total(TOTAL).contextBytes(CONTEXT).forgetContext();
    }

    @Test
    void measuresTheMemoryAroundItsOwnMaking() {
        try (CudaContext context = CudaContext.open(0)) {
            assertEquals(
                    new DeviceUse(OptionalLong.of(TOTAL), OptionalLong.of(0), OptionalLong.empty()), context.before());
            assertEquals(
                    new DeviceUse(OptionalLong.of(TOTAL - CONTEXT), OptionalLong.of(CONTEXT), OptionalLong.of(CONTEXT)),
                    context.after());
            context.memory().allocate(2 << 20);
            assertEquals(OptionalLong.of(CONTEXT + (2 << 20)), context.use().process());
            assertEquals(TOTAL, context.memory().total());
        }
    }

    @Test
    void withoutNvmlOnlyTheRuntimeIsAsked() {
        device.failCall("nvmlInit_v2", 1, 9);
        try (CudaContext context = CudaContext.open(0)) {
            assertEquals(
                    new DeviceUse(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty()), context.before());
            assertEquals(OptionalLong.of(TOTAL - CONTEXT), context.after().free());
        }
    }

    @Test
    void hasOneBlasHandleAThreadAndReleasesAll() {
        try (CudaContext context = CudaContext.open(0)) {
            assertEquals(0, device.liveObjects(), "handles are made at their first use");
            assertSame(context.blas(BlasThread.FORWARD), context.blas(BlasThread.FORWARD));
            assertNotEquals(
                    context.blas(BlasThread.FORWARD).address(),
                    context.blas(BlasThread.BACKWARD).address());
            assertSame(context.dnn(), context.dnn());
            context.load(KernelSource.of("none", "extern \"C\" __global__ void none() {}\n"));
            assertEquals(4, device.liveObjects());
        }
        assertEquals(0, device.liveObjects());
    }

    @Test
    void anOldDriverNoDeviceAndAWrongNumberAreEachOneLine() {
        device.driverVersion(12080);
        assertLine("install NVIDIA's driver for CUDA 13 (580 or newer)", 0);
        device.driverVersion(13000).devices(0);
        assertLine("look at nvidia-smi and at CUDA_VISIBLE_DEVICES", 0);
        device.devices(1);
        assertLine("there is no CUDA device 3; this machine has 1", 3);
        device.failCall("cudaSetDevice", 1, 46);
        assertLine("cudaSetDevice failed with 46", 0);
    }

    @Test
    void aFailingLibraryIsReportedByCallAndCode() {
        try (CudaContext context = CudaContext.open(0)) {
            device.failCall("cudnnCreate", 1, 1001);
            CudaException e = assertThrows(CudaException.class, context::dnn);
            assertEquals("cudnnCreate failed with 1001 (CUDNN_STATUS_NOT_INITIALIZED)", e.getMessage());
            device.failCall("cublasCreate_v2", 1, 3);
            e = assertThrows(CudaException.class, () -> context.blas(BlasThread.FORWARD));
            assertTrue(e.getMessage().startsWith("cublasCreate_v2 failed with 3 (CUBLAS_STATUS_ALLOC_FAILED"));
            device.failCall("nvrtcCompileProgram", 1, 5);
            e = assertThrows(CudaException.class, () -> context.load(KernelSource.of("a", "// nothing")));
            assertEquals("nvrtcCompileProgram of a failed with 5 (NVRTC_ERROR_INVALID_OPTION)", e.getMessage());
            context.dnn();
            context.blas(BlasThread.FORWARD);
        }
        assertEquals(0, device.liveObjects());
    }

    @Test
    void compilesForTheNearestCapabilityThatTheCompilerKnows() {
        int[] known = {75, 80, 86, 90, 100};
        assertEquals(90, Nvrtc.target(90, known));
        assertEquals(86, Nvrtc.target(89, known));
        CudaException e = assertThrows(CudaException.class, () -> Nvrtc.target(70, known));
        assertEquals(
                "this device's compute capability 7.0 is older than what CUDA 13 compiles for (7.5 and newer)",
                e.getMessage());
    }

    private static void assertLine(String part, int index) {
        CudaException e = assertThrows(CudaException.class, () -> CudaContext.open(index));
        assertTrue(e.getMessage().contains(part), e::getMessage);
        assertEquals(1, e.getMessage().lines().count());
    }
}
