package dev.headroom.executor.cuda.driver;

import org.bytedeco.javacpp.Pointer;

/**
 * An address of device memory as CUDA's bindings take it. It owns nothing: closing it or losing it frees no memory, and
 * Java must never read through it.
 */
public final class DevicePointer extends Pointer {
    /** @param address in bytes; 0 is the null pointer */
    public DevicePointer(long address) {
        super((Pointer) null);
        this.address = address;
    }
}
