package dev.headroom.executor.cuda.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.RealCompiler;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RealCompilerTest {
    private static final KernelSource TYPES = new KernelSource(
            "types",
            """
            template <typename T> __global__ void __launch_bounds__(256) gelu(T* y, const T* x, int64_t n) {
                extern __shared__ float part[];
                int64_t i = blockIdx.x * (int64_t) blockDim.x + threadIdx.x;
                float v = i < n ? float(x[i]) : -INFINITY;
                part[threadIdx.x] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
                __syncthreads();
                v = part[threadIdx.x] + __shfl_xor_sync(0xffffffffu, v, 1) * FACTOR;
                if (i < n) y[i] = T(v);
            }
            """,
            List.of("-DFACTOR=0.0f"),
            List.of("gelu<float>", "gelu<double>", "gelu<__half>", "gelu<__nv_bfloat16>"));

    @Test
    void thePreludeCompilesForEveryGeneration() throws IOException, InterruptedException {
        assertEquals("", RealCompiler.compile(List.of(TYPES), 75, 80, 86, 89, 90, 100, 120));
    }

    @Test
    void errorsAreOneLineWithTheirPlace() throws IOException, InterruptedException {
        KernelSource broken =
                KernelSource.of("broken", "extern \"C\" __global__ void broken(float* x) {\n    *x = unknown;\n}\n");
        String message = RealCompiler.compile(List.of(broken), 90);
        assertTrue(message.contains("broken(2): error: identifier \"unknown\" is undefined"), message);
    }
}
