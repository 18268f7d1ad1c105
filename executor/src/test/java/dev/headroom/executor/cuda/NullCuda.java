package dev.headroom.executor.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * The null CUDA libraries in place of the real ones, for tests on machines without a GPU. They keep books of device
 * memory as a driver does. By default memory is address space and work does nothing (results read as zeros); with
 * {@link #emulate} memory is real, kernels run on the host and matrix products, convolutions, batch normalisation and
 * recurrent layers are computed. A process has one such device; tests that use it must not run at the same time.
 */
public final class NullCuda {
    /** Java property: {@code null} (the default) tests over these libraries, {@code real} over the machine's own. */
    public static final String PROPERTY = "headroom.test.cuda";

    private static final int BYTES = 4096;
    private static final int CALL_BYTES = 64;
    private static NullCuda installed;

    /** The fields of struct null_control in null.h, in its order; 8 bytes each. */
    private enum Field {
        EMULATE,
        TOTAL,
        CONTEXT_BYTES,
        CAPABILITY,
        PROCESSORS,
        DRIVER_VERSION,
        DEVICES,
        WORKSPACE,
        MEMORY_COUNTDOWN,
        CALL_COUNTDOWN,
        FAULT_STATUS,
        LIVE_ALLOCATIONS,
        LIVE_BYTES,
        LIVE_RANGES,
        LIVE_OBJECTS,
        MEMORY_REQUESTS,
        LAUNCHES,
        PRODUCTS,
        CONVOLUTIONS,
        HAS_CONTEXT,
        RECURRENCES,
        OBJECT_BYTES,
        FAULT_CALL
    }

    private final MappedByteBuffer control;
    /** What cuDNN answers to whom, see {@link NullPlans}. */
    private final NullPlans plans;

    private NullCuda(Path folder) throws IOException {
        plans = new NullPlans(folder);
        Path file = folder.resolve("control-" + ProcessHandle.current().pid());
        Files.write(file, new byte[BYTES]);
        file.toFile().deleteOnExit();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            control = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
        }
        control.order(ByteOrder.nativeOrder());
    }

    /**
     * Builds the libraries when they are not built yet, and makes this process use them, with settings as after
     * {@link #reset}. Without a C compiler, or when real CUDA is asked for, the calling test is skipped.
     */
    public static synchronized NullCuda install() {
        Assumptions.assumeTrue(!isReal(), "the machine's own CUDA libraries are tested");
        if (installed == null) {
            Assumptions.assumeTrue(
                    NullCudaBuild.hasCompilers(), "no gcc and g++ to build the null CUDA libraries with");
            try {
                Path folder = NullCudaBuild.build();
                installed = new NullCuda(folder);
                System.setProperty("headroom.cuda.libraries", folder.toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        installed.reset();
        return installed;
    }

    /**
     * Lets this process compute with CUDA: emulated, or on the machine's own device when {@link #PROPERTY} says so.
     *
     * @return the null device; empty when the device is real
     */
    public static Optional<NullCuda> compute() {
        return isReal() ? Optional.empty() : Optional.of(install().emulate());
    }

    /** Whether {@link #install} goes through. */
    public static boolean isAvailable() {
        return !isReal() && NullCudaBuild.hasCompilers();
    }

    /** Whether the machine's own CUDA libraries are tested. */
    public static boolean isReal() {
        return System.getProperty(PROPERTY, "null").equals("real");
    }

    /** An H100 of 80 GiB that does nothing, no faults, counts of calls from 0; what is alive stays counted. */
    public void reset() {
        set(Field.EMULATE, 0);
        set(Field.TOTAL, 80L << 30);
        set(Field.CONTEXT_BYTES, 0);
        set(Field.CAPABILITY, 90);
        set(Field.PROCESSORS, 132);
        set(Field.DRIVER_VERSION, 13000);
        set(Field.DEVICES, 1);
        set(Field.WORKSPACE, 0);
        set(Field.MEMORY_COUNTDOWN, 0);
        set(Field.CALL_COUNTDOWN, 0);
        set(Field.MEMORY_REQUESTS, 0);
        set(Field.LAUNCHES, 0);
        set(Field.PRODUCTS, 0);
        set(Field.CONVOLUTIONS, 0);
        set(Field.RECURRENCES, 0);
        set(Field.OBJECT_BYTES, 0);
        plans.clear();
    }

    /** From now on memory is real and work is computed. */
    public NullCuda emulate() {
        set(Field.EMULATE, 1);
        return this;
    }

    /** Bytes of the device. */
    public NullCuda total(long bytes) {
        set(Field.TOTAL, bytes);
        return this;
    }

    /** Bytes that a context takes. The process keeps its one context; see {@link #forgetContext}. */
    public NullCuda contextBytes(long bytes) {
        set(Field.CONTEXT_BYTES, bytes);
        return this;
    }

    /** Bytes of the device that each live handle takes. */
    public NullCuda objectBytes(long bytes) {
        set(Field.OBJECT_BYTES, bytes);
        return this;
    }

    /** The device has no context from now on until a call makes one. */
    public NullCuda forgetContext() {
        set(Field.HAS_CONTEXT, 0);
        return this;
    }

    /** Ten times the major number of the compute capability, plus the minor one. */
    public NullCuda capability(int capability) {
        set(Field.CAPABILITY, capability);
        return this;
    }

    /** Streaming multiprocessors. */
    public NullCuda processors(int processors) {
        set(Field.PROCESSORS, processors);
        return this;
    }

    /** The driver's CUDA version, such as 13000. */
    public NullCuda driverVersion(int version) {
        set(Field.DRIVER_VERSION, version);
        return this;
    }

    /** Number of devices, 0 or 1. */
    public NullCuda devices(int devices) {
        set(Field.DEVICES, devices);
        return this;
    }

    /** The plans that cuDNN has for convolutions, and what it was asked. */
    public NullPlans plans() {
        return plans;
    }

    /** Bytes of workspace that every convolution asks for, unless it is told other {@link #plans}. */
    public NullCuda convolutionWorkspace(long bytes) {
        set(Field.WORKSPACE, bytes);
        return this;
    }

    /** Refuses the k-th request for device memory from now on, once. */
    public NullCuda failMemoryRequest(long k) {
        set(Field.MEMORY_COUNTDOWN, k);
        return this;
    }

    /** Lets the k-th call of a C function from now on, such as {@code cublasGemmEx}, end with a status, once. */
    public NullCuda failCall(String call, long k, int status) {
        byte[] name = new byte[CALL_BYTES];
        byte[] given = call.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(given, 0, name, 0, given.length);
        control.put(Field.FAULT_CALL.ordinal() * Long.BYTES, name);
        set(Field.FAULT_STATUS, status);
        set(Field.CALL_COUNTDOWN, k);
        return this;
    }

    /** Allocations of {@code cudaMalloc} that have not been freed. */
    public long liveAllocations() {
        return get(Field.LIVE_ALLOCATIONS);
    }

    /** Bytes in whole granules of 2 MiB that are allocated or created. */
    public long liveBytes() {
        return get(Field.LIVE_BYTES);
    }

    /** Reserved address ranges. */
    public long liveRanges() {
        return get(Field.LIVE_RANGES);
    }

    /** Handles, descriptors, modules and programs that have not been destroyed. */
    public long liveObjects() {
        return get(Field.LIVE_OBJECTS);
    }

    /** Requests for device memory since the reset. */
    public long memoryRequests() {
        return get(Field.MEMORY_REQUESTS);
    }

    /** Kernels launched since the reset. */
    public long launches() {
        return get(Field.LAUNCHES);
    }

    /** Matrix products of cuBLAS since the reset, each of a batch counted. */
    public long products() {
        return get(Field.PRODUCTS);
    }

    /** Convolutions of cuDNN since the reset, forward and backward. */
    public long convolutions() {
        return get(Field.CONVOLUTIONS);
    }

    /** Passes of cuDNN's recurrent layers since the reset, forward, backward over data and over weights. */
    public long recurrences() {
        return get(Field.RECURRENCES);
    }

    private long get(Field field) {
        return control.getLong(field.ordinal() * Long.BYTES);
    }

    private void set(Field field, long value) {
        control.putLong(field.ordinal() * Long.BYTES, value);
    }
}
