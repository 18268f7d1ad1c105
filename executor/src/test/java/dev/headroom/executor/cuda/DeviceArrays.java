package dev.headroom.executor.cuda;

import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Numbers of tests in device memory. */
public final class DeviceArrays {
    private DeviceArrays() {}

    /** Allocates memory and copies the numbers there. */
    public static long put(CudaContext context, float... values) {
        long address = context.memory().allocate(4L * values.length);
        set(address, values);
        return address;
    }

    static void set(long address, float... values) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.nativeOrder());
        buffer.asFloatBuffer().put(values);
        CudaTransfer.toDevice(address, buffer);
    }

    public static float[] get(long address, int count) {
        float[] values = new float[count];
        ByteBuffer.wrap(bytes(address, 4 * count))
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer()
                .get(values);
        return values;
    }

    public static byte[] bytes(long address, int count) {
        byte[] bytes = new byte[count];
        CudaTransfer.toHost(address, bytes);
        return bytes;
    }

    /** 16-bit patterns as bytes. */
    public static byte[] shorts(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(2 * values.length).order(ByteOrder.nativeOrder());
        for (int value : values) {
            buffer.putShort((short) value);
        }
        return buffer.array();
    }

    /** Numbers between -1 and 1 that are multiples of 1/8, so that sums of products are exact in every type. */
    public static float[] eighths(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (random.nextInt(17) - 8) / 8f;
        }
        return values;
    }
}
