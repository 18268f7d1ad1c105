package dev.headroom.executor.cuda.driver;

import dev.headroom.allocator.DeviceMemory;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * The memory of the current device through {@code cudaMalloc} and {@code cudaFree} and, for expandable segments, the
 * driver's virtual memory management, used as PyTorch uses them (c10/cuda/CUDACachingAllocator.cpp:
 * allocPrimitive, ExpandableSegment). Every piece that is out is remembered, so that {@link #close} gives all of it
 * back whatever went wrong before. Not safe for use by several threads; the device must be the calling thread's
 * current one.
 */
public final class CudaMemory implements DeviceMemory, AutoCloseable {
    private final long total;
    private final VirtualMemory virtual;
    /** Bytes by address of what cudaMalloc gave. */
    private final Long2LongOpenHashMap allocations = new Long2LongOpenHashMap();

    private long allocated;

    /** @param device the current device's index */
    public CudaMemory(int device) {
        this.total = info().total();
        this.virtual = new VirtualMemory(device);
    }

    /** What {@code cudaMemGetInfo} reports, in bytes. */
    public record Info(long free, long total) {}

    /**
     * {@code cudaMalloc}.
     *
     * @throws CudaException when the call fails for another reason than lack of memory
     */
    @Override
    public long allocate(long bytes) {
        try (PointerPointer<Pointer> address = new PointerPointer<>(1)) {
            int status = cudart.cudaMalloc(address, bytes);
            if (status == cudart.cudaErrorMemoryAllocation) {
                // The runtime keeps the error and would report it again at the next check.
                cudart.cudaGetLastError();
                return NONE;
            }
            CudaStatus.runtime("cudaMalloc", status);
            long found = address.get(Pointer.class, 0).address();
            allocations.put(found, bytes);
            allocated += bytes;
            return found;
        }
    }

    @Override
    public void free(long address, long bytes) {
        if (!allocations.containsKey(address)) {
            throw new IllegalStateException("no allocation at address " + address);
        }
        allocated -= allocations.remove(address);
        CudaStatus.runtime("cudaFree", cudart.cudaFree(new DevicePointer(address)));
    }

    @Override
    public long free() {
        return info().free();
    }

    /** Bytes of the device, as {@code cudaMemGetInfo} reports them. */
    @Override
    public long total() {
        return total;
    }

    @Override
    public long reserveAddresses(long bytes) {
        return virtual.reserve(bytes);
    }

    @Override
    public void releaseAddresses(long address, long bytes) {
        virtual.release(address);
    }

    @Override
    public boolean map(long address, long bytes, long granule) {
        return virtual.map(address, bytes, granule);
    }

    @Override
    public void unmap(long address, long bytes, long granule) {
        virtual.unmap(address, bytes);
    }

    /** Bytes that are out, allocated or mapped, as they were asked for. */
    public long bytesOut() {
        return allocated + virtual.mapped();
    }

    /**
     * Gives everything back. All of it is tried; the first failure is thrown at the end.
     *
     * @throws CudaException when a piece could not be given back
     */
    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        for (long address : allocations.keySet().toLongArray()) {
            cleanup.run(() -> free(address, allocations.get(address)));
        }
        cleanup.run(virtual::close);
        cleanup.finish();
    }

    /** {@code cudaMemGetInfo}; it makes the device's context when there is none. */
    public static Info info() {
        try (SizeTPointer free = new SizeTPointer(1);
                SizeTPointer total = new SizeTPointer(1)) {
            CudaStatus.runtime("cudaMemGetInfo", cudart.cudaMemGetInfo(free, total));
            return new Info(free.get(), total.get());
        }
    }
}
