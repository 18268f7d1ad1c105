package dev.headroom.executor.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.DeviceArrays;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kernels compiled and run, on the host in place of a device when there is none. */
class CudaKernelTest {
    private static final int N = 1000;

    private Optional<NullCuda> device;

    @BeforeEach
    void emulate() {
        device = NullCuda.compute();
    }

    @Test
    void runsAKernelOverMoreElementsThanABlockHas() {
        KernelSource source = KernelSource.of("axpy", """
                extern "C" __global__ void axpy(float* y, const float* x, float a, long n) {
                    long i = blockIdx.x * (long) blockDim.x + threadIdx.x;
                    if (i < n) y[i] += a * x[i];
                }
                """);
        try (CudaContext context = CudaContext.open(0)) {
            long x = DeviceArrays.put(context, upTo(N));
            long y = DeviceArrays.put(context, upTo(N));
            context.load(source).kernel("axpy").launch(LaunchShape.elements(N), y, x, 2f, (long) N);
            float[] result = DeviceArrays.get(y, N);
            for (int i = 0; i < N; i++) {
                assertEquals(3f * i, result[i]);
            }
            device.ifPresent(d -> assertEquals(1, d.launches()));
        }
        device.ifPresent(d -> assertEquals(0, d.liveAllocations()));
        device.ifPresent(d -> assertEquals(0, d.liveObjects()));
    }

    @Test
    void threadsOfABlockMeetAtBarriers() {
        KernelSource source = KernelSource.of("sum", """
                extern "C" __global__ void __launch_bounds__(256) sum(double* out, const float* x, int n) {
                    extern __shared__ double part[];
                    __shared__ double warps[8];
                    double own = 0;
                    for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
                    part[threadIdx.x] = own;
                    __syncthreads();
                    for (int half = blockDim.x / 2; half > 0; half /= 2) {
                        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
                        __syncthreads();
                    }
                    for (int lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(0xffffffffu, own, lane);
                    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
                    __syncthreads();
                    if (threadIdx.x == 0) {
                        out[0] = part[0];
                        out[1] = 0;
                        for (int w = 0; w < blockDim.x / 32; w++) out[1] += warps[w];
                    }
                }
                """);
        try (CudaContext context = CudaContext.open(0)) {
            long x = DeviceArrays.put(context, upTo(N));
            long out = context.memory().allocate(16);
            context.load(source).kernel("sum").launch(LaunchShape.of(1, 256).withShared(256 * 8), out, x, N);
            ByteBuffer sums = ByteBuffer.wrap(DeviceArrays.bytes(out, 16)).order(ByteOrder.nativeOrder());
            assertEquals(N * (N - 1) / 2.0, sums.getDouble(0));
            assertEquals(N * (N - 1) / 2.0, sums.getDouble(8));
        }
    }

    @Test
    void templatesAndStructsByValue() {
        KernelSource source = new KernelSource(
                "scale", """
                struct Shape { int rows; int columns; long stride; };
                template <typename T> __global__ void scale(T* x, Shape shape) {
                    int column = threadIdx.x, row = blockIdx.y;
                    long at = row * shape.stride + column;
                    if (column < shape.columns) x[at] = T(FACTOR * float(x[at]));
                }
                """, List.of("-DFACTOR=3"), List.of("scale<float>", "scale<__half>", "scale<__nv_bfloat16>"));
        byte[] shape = ByteBuffer.allocate(16)
                .order(ByteOrder.nativeOrder())
                .putInt(2)
                .putInt(3)
                .putLong(4)
                .array();
        try (CudaContext context = CudaContext.open(0)) {
            CudaModule module = context.load(source);
            long x = DeviceArrays.put(context, upTo(8));
            module.kernel("scale<float>").launch(new LaunchShape(1, 2, 1, 32, 1, 1, 0), x, shape);
            assertArrayEquals(new float[] {0, 3, 6, 3, 12, 15, 18, 7}, DeviceArrays.get(x, 8));
            // 1.5 and 65504 as halves; thrice the latter is infinite.
            CudaTransfer.toDevice(x, DeviceArrays.shorts(0x3e00, 0x7bff, 0, 0, 0, 0, 0, 0x8001));
            module.kernel("scale<__half>").launch(new LaunchShape(1, 2, 1, 32, 1, 1, 0), x, shape);
            assertArrayEquals(DeviceArrays.shorts(0x4480, 0x7c00, 0, 0, 0, 0, 0, 0x8001), DeviceArrays.bytes(x, 16));
            CudaTransfer.toDevice(x, DeviceArrays.shorts(0x3fc0, 0x7f80, 0x0001, 0, 0, 0, 0, 0));
            module.kernel("scale<__nv_bfloat16>").launch(new LaunchShape(1, 2, 1, 32, 1, 1, 0), x, shape);
            assertArrayEquals(DeviceArrays.shorts(0x4090, 0x7f80, 0x0003, 0, 0, 0, 0, 0), DeviceArrays.bytes(x, 16));
        }
    }

    @Test
    void errorsInTheSourceAreOneLineWithTheirPlace() {
        KernelSource source =
                KernelSource.of("broken", "extern \"C\" __global__ void broken(float* x) {\n    *x = unknown;\n}\n");
        try (CudaContext context = CudaContext.open(0)) {
            CudaException e = assertThrows(CudaException.class, () -> context.load(source));
            assertTrue(e.getMessage().matches(".*broken(\\(2\\):|:2:).*"), e::getMessage);
            assertEquals(1, e.getMessage().lines().count());
        }
        device.ifPresent(d -> assertEquals(0, d.liveObjects()));
    }

    @Test
    void refusedLaunchesAreReported() {
        KernelSource source = KernelSource.of("empty", "extern \"C\" __global__ void empty(int x) {}\n");
        try (CudaContext context = CudaContext.open(0)) {
            CudaModule module = context.load(source);
            CudaKernel kernel = module.kernel("empty");
            kernel.launch(LaunchShape.elements(0), 1);
            device.ifPresent(d -> assertEquals(0, d.launches()));
            kernel.launch(LaunchShape.of(1, 1).withShared(100 << 10), 1);
            CudaException e = assertThrows(CudaException.class, () -> kernel.launch(LaunchShape.of(1, 2048), 1));
            assertEquals("cuLaunchKernel of empty", e.call());
            assertThrows(CudaException.class, () -> module.kernel("missing"));
            assertThrows(IllegalArgumentException.class, () -> kernel.launch(LaunchShape.of(1, 1), "text"));
        }
    }

    private static float[] upTo(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        return values;
    }
}
