package dev.headroom.executor.cuda.driver;

import dev.headroom.allocator.Bytes;
import java.nio.ByteBuffer;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;

/**
 * Copies between host and device, each done when the method returns and after all work queued before. Host memory is
 * pageable. Addresses and sizes are bytes.
 */
public final class CudaTransfer {
    /** Arrays of Java's are copied through native memory of this size. */
    private static final int STAGE = (int) (4 * Bytes.MIB);

    private CudaTransfer() {}

    /** Copies an array's bytes to the device. */
    public static void toDevice(long address, byte[] values) {
        try (BytePointer stage = new BytePointer(Math.min(STAGE, Math.max(1, values.length)))) {
            for (int from = 0; from < values.length; from += STAGE) {
                int count = Math.min(STAGE, values.length - from);
                stage.position(0).put(values, from, count);
                copy(new DevicePointer(address + from), stage, count, cudart.cudaMemcpyHostToDevice);
            }
        }
    }

    /** Copies the device's bytes into an array and fills it. */
    public static void toHost(long address, byte[] values) {
        try (BytePointer stage = new BytePointer(Math.min(STAGE, Math.max(1, values.length)))) {
            for (int from = 0; from < values.length; from += STAGE) {
                int count = Math.min(STAGE, values.length - from);
                copy(stage, new DevicePointer(address + from), count, cudart.cudaMemcpyDeviceToHost);
                stage.position(0).get(values, from, count);
            }
        }
    }

    /**
     * Copies what remains of a direct buffer to the device; the buffer's position stays.
     *
     * @throws IllegalArgumentException when the buffer is not direct
     */
    public static void toDevice(long address, ByteBuffer values) {
        copy(new DevicePointer(address), pointer(values), values.remaining(), cudart.cudaMemcpyHostToDevice);
    }

    /** Copies the device's bytes into what remains of a direct buffer; the buffer's position stays. */
    public static void toHost(long address, ByteBuffer values) {
        copy(pointer(values), new DevicePointer(address), values.remaining(), cudart.cudaMemcpyDeviceToHost);
    }

    /** Queues a copy within the device on the default stream. */
    public static void onDevice(long to, long from, long bytes) {
        CudaStatus.runtime(
                "cudaMemcpyAsync",
                cudart.cudaMemcpyAsync(
                        new DevicePointer(to), new DevicePointer(from), bytes, cudart.cudaMemcpyDeviceToDevice, null));
    }

    /** Queues setting every byte to a value on the default stream. */
    public static void fill(long address, int value, long bytes) {
        CudaStatus.runtime("cudaMemsetAsync", cudart.cudaMemsetAsync(new DevicePointer(address), value, bytes, null));
    }

    private static void copy(Pointer to, Pointer from, long bytes, int kind) {
        CudaStatus.runtime("cudaMemcpy", cudart.cudaMemcpy(to, from, bytes, kind));
    }

    /** The buffer's memory from its position on. */
    private static Pointer pointer(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the buffer must be direct");
        }
        return new BytePointer(buffer);
    }
}
