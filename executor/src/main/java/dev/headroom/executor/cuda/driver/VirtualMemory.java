package dev.headroom.executor.cuda.driver;

import dev.headroom.allocator.DeviceMemory;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.bytedeco.cuda.cudart.CUmemAccessDesc_v1;
import org.bytedeco.cuda.cudart.CUmemAllocationProp_v1;
import org.bytedeco.cuda.cudart.CUmemLocation_v1;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cudart;

/**
 * Reserved addresses and the memory behind them, through the driver's {@code cuMem*} functions. A granule is one
 * {@code cuMemCreate}; addresses and sizes are bytes.
 */
final class VirtualMemory {
    private final int device;
    private final TreeMap<Long, Long> ranges = new TreeMap<>();
    private final TreeMap<Long, Granule> granules = new TreeMap<>();
    private long mapped;

    private record Granule(long handle, long bytes) {}

    VirtualMemory(int device) {
        this.device = device;
    }

    /** {@code cuMemAddressReserve}; {@link DeviceMemory#NONE} when the address space is used up. */
    long reserve(long bytes) {
        long[] address = new long[1];
        int status = cudart.cuMemAddressReserve(address, bytes, 0, 0, 0);
        if (status == cudart.CUDA_ERROR_OUT_OF_MEMORY) {
            return DeviceMemory.NONE;
        }
        CudaStatus.driver("cuMemAddressReserve", status);
        ranges.put(address[0], bytes);
        return address[0];
    }

    /** {@code cuMemAddressFree} of a whole range without memory. */
    void release(long address) {
        Long bytes = ranges.remove(address);
        if (bytes == null) {
            throw new IllegalStateException("no addresses reserved at " + address);
        }
        CudaStatus.driver("cuMemAddressFree", cudart.cuMemAddressFree(address, bytes));
    }

    /**
     * Creates memory and maps it, all of it or none.
     *
     * @return false when the device has no room
     */
    boolean map(long address, long bytes, long granule) {
        long end = address;
        boolean complete = false;
        try (CUmemAllocationProp_v1 properties = properties()) {
            while (end < address + bytes && mapGranule(end, granule, properties)) {
                end += granule;
            }
            if (end == address + bytes) {
                allow(address, bytes);
                complete = true;
            }
            return complete;
        } finally {
            if (!complete) {
                unmap(address, end - address);
            }
        }
    }

    /** {@code cuMemUnmap} and {@code cuMemRelease} of every granule in a mapped range. */
    void unmap(long address, long bytes) {
        if (bytes == 0) {
            return;
        }
        // Unlike cudaFree, unmapping does not wait for kernels that may still use the memory.
        CudaStatus.runtime("cudaStreamSynchronize", cudart.cudaStreamSynchronize((CUstream_st) null));
        for (long place : granules.subMap(address, address + bytes).keySet().toArray(new Long[0])) {
            Granule granule = Objects.requireNonNull(granules.remove(place));
            mapped -= granule.bytes();
            CudaStatus.driver("cuMemUnmap", cudart.cuMemUnmap(place, granule.bytes()));
            CudaStatus.driver("cuMemRelease", cudart.cuMemRelease(granule.handle()));
        }
    }

    /** Bytes that have memory behind them. */
    long mapped() {
        return mapped;
    }

    /** Unmaps and releases everything. */
    void close() {
        Cleanup cleanup = new Cleanup();
        for (Map.Entry<Long, Granule> granule : new TreeMap<>(granules).entrySet()) {
            cleanup.run(() -> unmap(granule.getKey(), granule.getValue().bytes()));
        }
        for (long address : ranges.keySet().toArray(new Long[0])) {
            cleanup.run(() -> release(address));
        }
        cleanup.finish();
    }

    private boolean mapGranule(long address, long bytes, CUmemAllocationProp_v1 properties) {
        long[] handle = new long[1];
        int status = cudart.cuMemCreate(handle, bytes, properties, 0);
        if (status == cudart.CUDA_ERROR_OUT_OF_MEMORY) {
            return false;
        }
        CudaStatus.driver("cuMemCreate", status);
        status = cudart.cuMemMap(address, bytes, 0, handle[0], 0);
        if (status != cudart.CUDA_SUCCESS) {
            cudart.cuMemRelease(handle[0]);
        }
        CudaStatus.driver("cuMemMap", status);
        granules.put(address, new Granule(handle[0], bytes));
        mapped += bytes;
        return true;
    }

    private void allow(long address, long bytes) {
        try (CUmemAccessDesc_v1 access = new CUmemAccessDesc_v1();
                CUmemLocation_v1 location = location()) {
            access.location(location).flags(cudart.CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
            CudaStatus.driver("cuMemSetAccess", cudart.cuMemSetAccess(address, bytes, access, 1));
        }
    }

    private CUmemAllocationProp_v1 properties() {
        CUmemAllocationProp_v1 properties = new CUmemAllocationProp_v1();
        properties.zero();
        try (CUmemLocation_v1 location = location()) {
            return properties.type(cudart.CU_MEM_ALLOCATION_TYPE_PINNED).location(location);
        }
    }

    private CUmemLocation_v1 location() {
        return new CUmemLocation_v1().type(cudart.CU_MEM_LOCATION_TYPE_DEVICE).id(device);
    }
}
