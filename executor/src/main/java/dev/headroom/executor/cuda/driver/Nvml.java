package dev.headroom.executor.cuda.driver;

import java.util.OptionalLong;
import org.bytedeco.cuda.global.nvml;
import org.bytedeco.cuda.nvml.nvmlDevice_st;
import org.bytedeco.cuda.nvml.nvmlMemory_t;
import org.bytedeco.cuda.nvml.nvmlProcessInfo_v2_t;
import org.bytedeco.javacpp.BytePointer;

/**
 * What the driver says about one device through NVML, which needs no CUDA context: the only way to see the memory as it
 * was before this process made one. Bytes.
 */
public final class Nvml implements AutoCloseable {
    private static final int PROCESSES = 256;

    private final nvmlDevice_st device = new nvmlDevice_st();

    /**
     * @param uuid the device's identifier, as 32 hexadecimal digits with hyphens
     * @throws CudaException when NVML is missing or does not know the device
     */
    public Nvml(String uuid) {
        CudaLibraries.loadManagement();
        CudaStatus.management("nvmlInit_v2", nvml.nvmlInit_v2());
        try {
            // A slice of a divided card (MIG) goes by another prefix than a whole one.
            if (find("MIG-" + uuid) != nvml.NVML_SUCCESS) {
                CudaStatus.management("nvmlDeviceGetHandleByUUID", find("GPU-" + uuid));
            }
        } catch (CudaException e) {
            nvml.nvmlShutdown();
            throw e;
        }
    }

    private int find(String name) {
        try (BytePointer text = new BytePointer(name)) {
            return nvml.nvmlDeviceGetHandleByUUID(text, device);
        }
    }

    /** Bytes of the device in use by all processes. */
    public long used() {
        try (nvmlMemory_t memory = memory()) {
            return memory.used();
        }
    }

    /** Bytes of the device that no process uses. */
    public long free() {
        try (nvmlMemory_t memory = memory()) {
            return memory._free();
        }
    }

    /**
     * Bytes in use by one process; empty when the driver does not list it, as in a container with process numbers of
     * its own, or does not tell the size.
     */
    public OptionalLong usedBy(long process) {
        int[] count = {PROCESSES};
        try (nvmlProcessInfo_v2_t processes = new nvmlProcessInfo_v2_t(PROCESSES)) {
            int status = nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
            if (status == nvml.NVML_ERROR_NOT_SUPPORTED || status == nvml.NVML_ERROR_NO_PERMISSION) {
                return OptionalLong.empty();
            }
            CudaStatus.management("nvmlDeviceGetComputeRunningProcesses_v3", status);
            for (int i = 0; i < Math.min(count[0], PROCESSES); i++) {
                nvmlProcessInfo_v2_t info = processes.getPointer(i);
                if (Integer.toUnsignedLong(info.pid()) == process && info.usedGpuMemory() >= 0) {
                    return OptionalLong.of(info.usedGpuMemory());
                }
            }
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() {
        CudaStatus.management("nvmlShutdown", nvml.nvmlShutdown());
    }

    private nvmlMemory_t memory() {
        nvmlMemory_t memory = new nvmlMemory_t();
        CudaStatus.management("nvmlDeviceGetMemoryInfo", nvml.nvmlDeviceGetMemoryInfo(device, memory));
        return memory;
    }
}
