package dev.headroom.executor.cuda.runtime;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.executor.cuda.driver.CudaMemory;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.driver.Nvml;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.CUuuid;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.cuda.global.cudnn;
import org.jspecify.annotations.Nullable;

/**
 * This process on one device: the primary context, its memory, the handles of cuBLAS and cuDNN and the compiled
 * kernels. All work goes to the legacy default stream, as PyTorch's does. To be used by the thread that opened it;
 * {@link #close} gives back everything, whatever state the run ended in.
 */
public final class CudaContext implements AutoCloseable {
    /**
     * PyTorch keeps one cuBLAS handle, and with it one workspace, for each thread that multiplies matrices
     * (aten/src/ATen/cuda/CublasHandlePool.cpp); its backward passes run on a thread of their own.
     */
    public enum BlasThread {
        FORWARD,
        BACKWARD
    }

    private final CudaDevice properties;
    private final Optional<Nvml> management;
    private final DeviceUse before;
    private final DeviceUse after;
    private final CudaMemory memory;
    private final KernelCompiler compiler;
    private final CUstream_st stream = new CUstream_st();
    private final Map<BlasThread, cublasContext> blas = new EnumMap<>(BlasThread.class);
    private @Nullable cudnnContext dnn;
    private boolean closed;

    /**
     * Makes the device's context.
     *
     * @param device the index, as CUDA counts
     * @throws CudaException when there is no such device or a library is missing
     */
    public static CudaContext open(int device) {
        CudaLibraries.loadRuntime();
        int[] count = new int[1];
        CudaStatus.runtime("cudaGetDeviceCount", cudart.cudaGetDeviceCount(count));
        if (device < 0 || device >= count[0]) {
            throw new CudaException("there is no CUDA device " + device + "; this machine has " + count[0]);
        }
        return new CudaContext(device);
    }

    private CudaContext(int device) {
        this.management = management(device);
        this.before = new DeviceUse(
                management.map(m -> OptionalLong.of(m.free())).orElse(OptionalLong.empty()), used(), processUse());
        try {
            CudaStatus.runtime("cudaSetDevice", cudart.cudaSetDevice(device));
            // The customary call that makes the context and does nothing else.
            CudaStatus.runtime("cudaFree", cudart.cudaFree(new DevicePointer(0)));
            this.after = use();
            this.properties = CudaDevice.read(device);
            this.memory = new CudaMemory(device);
            this.compiler = new KernelCompiler(properties);
        } catch (RuntimeException e) {
            management.ifPresent(Nvml::close);
            throw e;
        }
    }

    /** The device; its {@code free} is from after the context was made. */
    public CudaDevice device() {
        return properties;
    }

    /** The device's memory. */
    public CudaMemory memory() {
        return memory;
    }

    /** Memory before the context was made; from NVML alone. */
    public DeviceUse before() {
        return before;
    }

    /** Memory when the context had been made and nothing else. */
    public DeviceUse after() {
        return after;
    }

    /** Memory now. */
    public DeviceUse use() {
        return new DeviceUse(OptionalLong.of(CudaMemory.info().free()), used(), processUse());
    }

    /** The legacy default stream, for calls that name one: a null pointer. */
    public CUstream_st stream() {
        return stream;
    }

    /** The cuBLAS handle of one of PyTorch's threads, made at its first use. */
    public cublasContext blas(BlasThread thread) {
        return blas.computeIfAbsent(thread, t -> {
            CudaLibraries.loadBlas();
            cublasContext handle = new cublasContext();
            CudaStatus.blas("cublasCreate_v2", cublas.cublasCreate_v2(handle));
            return handle;
        });
    }

    /**
     * The cuDNN handle, made at its first use. It loads cuDNN: until then no class of the binding, descriptors
     * included, may be touched.
     */
    public cudnnContext dnn() {
        if (dnn == null) {
            CudaLibraries.loadDnn();
            cudnnContext handle = new cudnnContext();
            CudaStatus.dnn("cudnnCreate", cudnn.cudnnCreate(handle));
            dnn = handle;
        }
        return dnn;
    }

    /**
     * Compiles CUDA C for this device and loads it; what was compiled before in this process is not compiled again. The
     * module lives until it or the context is closed.
     *
     * @param source what to compile
     * @throws CudaException when the source has errors, with the compiler's first message
     */
    public CudaModule load(KernelSource source) {
        return compiler.load(source);
    }

    /** Waits until the device has done all work; errors of kernels appear here. */
    public void synchronize() {
        CudaStatus.runtime("cudaDeviceSynchronize", cudart.cudaDeviceSynchronize());
    }

    /**
     * Waits for the device and releases kernels, handles and memory. All of it is tried; the first failure is thrown
     * at the end. The primary context itself stays until the process ends, so that another one can be opened.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Cleanup cleanup = new Cleanup();
        // Kernels that still run must not lose their code or memory.
        cleanup.run(this::synchronize);
        cleanup.run(compiler::close);
        if (dnn != null) {
            cleanup.run(() -> CudaStatus.dnn("cudnnDestroy", cudnn.cudnnDestroy(dnn)));
        }
        for (cublasContext handle : blas.values()) {
            cleanup.run(() -> CudaStatus.blas("cublasDestroy_v2", cublas.cublasDestroy_v2(handle)));
        }
        cleanup.run(memory::close);
        management.ifPresent(m -> cleanup.run(m::close));
        cleanup.finish();
    }

    private OptionalLong used() {
        return management.map(m -> OptionalLong.of(m.used())).orElse(OptionalLong.empty());
    }

    private OptionalLong processUse() {
        return management.map(m -> m.usedBy(ProcessHandle.current().pid())).orElse(OptionalLong.empty());
    }

    /** NVML is an extra: a machine without it measures less, but measures. */
    private static Optional<Nvml> management(int device) {
        try {
            return Optional.of(new Nvml(uuid(device)));
        } catch (CudaException e) {
            return Optional.empty();
        }
    }

    /**
     * The device's identifier as NVML spells it, without its prefix; read through the driver, which makes no context.
     */
    private static String uuid(int device) {
        CudaStatus.driver("cuInit", cudart.cuInit(0));
        try (CUuuid uuid = new CUuuid()) {
            CudaStatus.driver("cuDeviceGetUuid", cudart.cuDeviceGetUuid(uuid, device));
            byte[] bytes = new byte[16];
            uuid.bytes().get(bytes);
            String hex = HexFormat.of().formatHex(bytes);
            return hex.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
        }
    }
}
