package dev.headroom.executor.cuda.runtime;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.cuda.driver.DevicePointer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/**
 * The values of a launch in native memory, as {@code cuLaunchKernel} reads them; the memory is used again and again.
 */
final class LaunchArguments implements AutoCloseable {
    /** As CUDA aligns its largest vector types. */
    private static final int ALIGNMENT = 16;

    private BytePointer values = new BytePointer(ALIGNMENT);
    private PointerPointer<Pointer> pointers = new PointerPointer<>(1);

    /**
     * Lays the values out: {@code Long} (also for addresses), {@code Integer}, {@code Short}, {@code Byte},
     * {@code Float}, {@code Double}, {@link Pointer} for an address, {@code byte[]} for a struct by value.
     */
    PointerPointer<Pointer> pack(Object... arguments) {
        long bytes = 0;
        for (Object argument : arguments) {
            bytes += slot(argument);
        }
        if (bytes > values.capacity() || arguments.length > pointers.capacity()) {
            close();
            values = new BytePointer(Math.max(bytes, 1024));
            pointers = new PointerPointer<>(Math.max(arguments.length, 64));
        }
        long offset = 0;
        for (int i = 0; i < arguments.length; i++) {
            put(offset, arguments[i]);
            pointers.put(i, new DevicePointer(values.address() + offset));
            offset += slot(arguments[i]);
        }
        return pointers;
    }

    @Override
    public void close() {
        values.close();
        pointers.close();
    }

    private static long slot(Object argument) {
        int bytes = argument instanceof byte[] struct ? struct.length : Long.BYTES;
        return Bytes.roundUp(bytes, ALIGNMENT);
    }

    private void put(long offset, Object argument) {
        if (argument instanceof Long value) {
            values.putLong(offset, value);
        } else if (argument instanceof Pointer pointer) {
            values.putLong(offset, pointer.address());
        } else if (argument instanceof Integer value) {
            values.putInt(offset, value);
        } else if (argument instanceof Float value) {
            values.putFloat(offset, value);
        } else if (argument instanceof Double value) {
            values.putDouble(offset, value);
        } else if (argument instanceof Short value) {
            values.putShort(offset, value);
        } else if (argument instanceof Byte value) {
            values.put(offset, value);
        } else if (argument instanceof byte[] struct) {
            for (int i = 0; i < struct.length; i++) {
                values.put(offset + i, struct[i]);
            }
        } else {
            throw new IllegalArgumentException("no kernel takes " + argument);
        }
    }
}
