package dev.headroom.executor.cuda.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.headroom.executor.cuda.DeviceArrays;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaMemory;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaContext.BlasThread;
import java.util.Random;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.FloatPointer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Matrix products, emulated when there is no device, against plain loops, and the arguments that they refuse. */
class CudaBlasTest {
    private static final int M = 5;
    private static final int N = 4;
    private static final int K = 7;
    private static final int BATCH = 3;

    @BeforeEach
    void compute() {
        NullCuda.compute();
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void multipliesEveryMatrixOfABatch(boolean transposeA, boolean transposeB) {
        Random random = new Random(1);
        float[] a = DeviceArrays.eighths(random, BATCH * M * K);
        float[] b = DeviceArrays.eighths(random, BATCH * K * N);
        float[] c = DeviceArrays.eighths(random, BATCH * M * N);
        try (CudaContext context = CudaContext.open(0);
                FloatPointer alpha = new FloatPointer(2f);
                FloatPointer beta = new FloatPointer(-0.5f)) {
            long result = DeviceArrays.put(context, c);
            CudaStatus.blas(
                    "cublasGemmStridedBatchedEx",
                    cublas.cublasGemmStridedBatchedEx(
                            context.blas(BlasThread.FORWARD),
                            transposeA ? cublas.CUBLAS_OP_T : cublas.CUBLAS_OP_N,
                            transposeB ? cublas.CUBLAS_OP_T : cublas.CUBLAS_OP_N,
                            M,
                            N,
                            K,
                            alpha,
                            new DevicePointer(DeviceArrays.put(context, a)),
                            cudart.CUDA_R_32F,
                            transposeA ? K : M,
                            M * K,
                            new DevicePointer(DeviceArrays.put(context, b)),
                            cudart.CUDA_R_32F,
                            transposeB ? N : K,
                            K * N,
                            beta,
                            new DevicePointer(result),
                            cudart.CUDA_R_32F,
                            M,
                            M * N,
                            BATCH,
                            cublas.CUBLAS_COMPUTE_32F,
                            cublas.CUBLAS_GEMM_DEFAULT));
            float[] expected = new float[BATCH * M * N];
            for (int i = 0; i < expected.length; i++) {
                int batch = i / (M * N);
                int column = i / M % N;
                int row = i % M;
                float sum = 0;
                for (int k = 0; k < K; k++) {
                    sum += a[batch * M * K + (transposeA ? row * K + k : k * M + row)]
                            * b[batch * K * N + (transposeB ? k * N + column : column * K + k)];
                }
                expected[i] = 2 * sum - 0.5f * c[i];
            }
            assertArrayEquals(expected, DeviceArrays.get(result, expected.length));
        }
    }

    @Test
    void halvesAreSummedInFloat() {
        try (CudaContext context = CudaContext.open(0)) {
            long a = context.memory().allocate(4);
            long b = context.memory().allocate(4);
            long c = context.memory().allocate(2);
            // 2048 * 1 + 1 * 1 is 2049 in float, which rounds to the even 2048 in half; and 60000 + 60000 overflows.
            CudaTransfer.toDevice(a, DeviceArrays.shorts(0x6800, 0x3c00));
            CudaTransfer.toDevice(b, DeviceArrays.shorts(0x3c00, 0x3c00));
            CudaStatus.blas("cublasGemmEx", product(context, cudart.CUDA_R_16F, a, b, c, 2));
            assertArrayEquals(DeviceArrays.shorts(0x6800), DeviceArrays.bytes(c, 2));
            CudaTransfer.toDevice(a, DeviceArrays.shorts(0x7b53, 0x7b53));
            CudaStatus.blas("cublasGemmEx", product(context, cudart.CUDA_R_16F, a, b, c, 2));
            assertArrayEquals(DeviceArrays.shorts(0x7c00), DeviceArrays.bytes(c, 2));
            // 1 + 1/128 is exact in bfloat16; 256 + 1 is not and rounds to even.
            CudaTransfer.toDevice(a, DeviceArrays.shorts(0x3f80, 0x3c00));
            CudaTransfer.toDevice(b, DeviceArrays.shorts(0x3f80, 0x3f80));
            CudaStatus.blas("cublasGemmEx", product(context, cudart.CUDA_R_16BF, a, b, c, 2));
            assertArrayEquals(DeviceArrays.shorts(0x3f81), DeviceArrays.bytes(c, 2));
            CudaTransfer.toDevice(a, DeviceArrays.shorts(0x4380, 0x3f80));
            CudaStatus.blas("cublasGemmEx", product(context, cudart.CUDA_R_16BF, a, b, c, 2));
            assertArrayEquals(DeviceArrays.shorts(0x4380), DeviceArrays.bytes(c, 2));
        }
    }

    @Test
    void argumentsThatReachOutsideAnAllocationAreRefused() {
        NullCuda device = NullCuda.install();
        try (CudaContext context = CudaContext.open(0)) {
            CudaMemory memory = context.memory();
            long a = memory.allocate(4);
            long freed = memory.allocate(4);
            memory.free(freed, 4);
            assertEquals(0, product(context, cudart.CUDA_R_16F, a, a, a, 2));
            assertEquals(1, device.products());
            int tooLong = (2 << 20) / 2 + 1;
            CudaException e = assertThrows(
                    CudaException.class,
                    () -> CudaStatus.blas("cublasGemmEx", product(context, cudart.CUDA_R_16F, a, a, a, tooLong)));
            assertEquals(
                    "cublasGemmEx failed with 13 (CUBLAS_STATUS_EXECUTION_FAILED, null cuBLAS refused the call)",
                    e.getMessage());
            assertEquals(cublas.CUBLAS_STATUS_EXECUTION_FAILED, product(context, cudart.CUDA_R_16F, a, freed, a, 2));
            device.failCall("cublasGemmEx", 2, cublas.CUBLAS_STATUS_ALLOC_FAILED);
            assertEquals(0, product(context, cudart.CUDA_R_16F, a, a, a, 2));
            assertEquals(cublas.CUBLAS_STATUS_ALLOC_FAILED, product(context, cudart.CUDA_R_16F, a, a, a, 2));
            assertEquals(0, product(context, cudart.CUDA_R_16F, a, a, a, 2));
        }
    }

    /** The inner product of two vectors. */
    private static int product(CudaContext context, int type, long a, long b, long c, int k) {
        cublasContext handle = context.blas(BlasThread.BACKWARD);
        try (FloatPointer one = new FloatPointer(1f);
                FloatPointer zero = new FloatPointer(0f)) {
            return cublas.cublasGemmEx(
                    handle,
                    cublas.CUBLAS_OP_N,
                    cublas.CUBLAS_OP_N,
                    1,
                    1,
                    k,
                    one,
                    new DevicePointer(a),
                    type,
                    1,
                    new DevicePointer(b),
                    type,
                    k,
                    zero,
                    new DevicePointer(c),
                    type,
                    1,
                    cublas.CUBLAS_COMPUTE_32F,
                    cublas.CUBLAS_GEMM_DEFAULT);
        }
    }
}
