package dev.headroom.executor.cuda;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cuda.runtime.CudaContext.BlasThread;
import dev.headroom.executor.cuda.runtime.DeviceUse;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.model.device.DeviceProbe;
import dev.headroom.model.device.Gpu;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Measures CUDA's context, then cuBLAS's handle and first product, then cuDNN's handle, each by the memory that is
 * missing after it. cuBLAS works in a workspace that it is given, as in PyTorch. The kernels that PyTorch brings
 * itself, and those of single convolutions, are loaded when they are first used: of them the published range is kept.
 */
public final class CudaProbe implements DeviceProbe {
    private static final int FIRST = 0;
    private static final int SIDE = 256;
    private static final long MATRIX = (long) SIDE * SIDE * Float.BYTES;
    private static final long WORKSPACE = 32 * Bytes.MIB;

    @Override
    public Measured measure() {
        try (CudaContext context = CudaContext.open(FIRST)) {
            DeviceUse before = context.before();
            if (before.used().isEmpty()) {
                throw new CudaException("NVML is missing, so that nobody can tell what was in use before; install"
                        + " libnvidia-ml.so.1, which comes with NVIDIA's driver");
            }
            boolean listed = context.after().process().isPresent();
            String source =
                    "measured on " + LocalDate.now(ZoneId.systemDefault()) + " with a driver for CUDA " + driver();
            List<DeviceLine> lines = new ArrayList<>();
            long own = listed
                    ? context.after().process().getAsLong()
                    : taken(before.used(), context.after().used());
            lines.add(exact(DeviceLine.CONTEXT, own, source));
            long matrices = context.memory().allocate(3 * MATRIX);
            long workspace = context.memory().allocate(WORKSPACE);
            long start = now(context, listed);
            product(context, matrices, workspace);
            long multiplied = now(context, listed);
            lines.add(exact(DeviceLine.CUBLAS, multiplied - start, source));
            context.dnn();
            lines.add(exact(DeviceLine.CUDNN, now(context, listed) - multiplied, source));
            Gpu gpu = context.device().gpu();
            lines.addAll(DeviceLines.kernels(gpu));
            return new Measured(
                    gpu,
                    context.device().catalogued().isPresent(),
                    lines,
                    before.used().getAsLong());
        }
    }

    private static DeviceLine exact(String part, long bytes, String source) {
        long counted = Math.max(0, bytes); // others may have given memory back in between
        return new DeviceLine(part, counted, counted, counted, source);
    }

    private static long taken(OptionalLong before, OptionalLong after) {
        return after.orElseThrow() - before.orElseThrow();
    }

    /** Bytes in use: of this process where NVML lists it, else of the device. */
    private static long now(CudaContext context, boolean listed) {
        context.synchronize();
        DeviceUse use = context.use();
        return (listed ? use.process() : use.used()).orElseThrow();
    }

    private static String driver() {
        int[] version = new int[1];
        CudaStatus.runtime("cudaDriverGetVersion", cudart.cudaDriverGetVersion(version));
        return version[0] / 1000 + "." + version[0] % 1000 / 10;
    }

    private static void product(CudaContext context, long matrices, long workspace) {
        cublasContext handle = context.blas(BlasThread.FORWARD);
        CudaStatus.blas(
                "cublasSetWorkspace_v2", cublas.cublasSetWorkspace_v2(handle, new DevicePointer(workspace), WORKSPACE));
        int op = cublas.CUBLAS_OP_N;
        int type = cudart.CUDA_R_32F;
        try (FloatPointer one = new FloatPointer(1f);
                FloatPointer zero = new FloatPointer(0f)) {
            CudaStatus.blas(
                    "cublasGemmEx",
                    cublas.cublasGemmEx(
                            handle,
                            op,
                            op,
                            SIDE,
                            SIDE,
                            SIDE,
                            one,
                            new DevicePointer(matrices),
                            type,
                            SIDE,
                            new DevicePointer(matrices + MATRIX),
                            type,
                            SIDE,
                            zero,
                            new DevicePointer(matrices + 2 * MATRIX),
                            type,
                            SIDE,
                            cublas.CUBLAS_COMPUTE_32F,
                            cublas.CUBLAS_GEMM_DEFAULT));
        }
    }
}
