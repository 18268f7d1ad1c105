package dev.headroom.estimator.runtime;

import dev.headroom.model.device.Gpu;

/**
 * The properties of a GPU that decide what PyTorch allocates.
 *
 * @param major compute capability
 * @param minor compute capability
 * @param sms streaming multiprocessors
 * @param l2Bytes of the L2 cache
 */
public record DeviceModel(int major, int minor, int sms, long l2Bytes) {
    /** A device whose L2 cache is as large as usual. */
    public DeviceModel(int major, int minor, int sms) {
        this(major, minor, sms, Gpu.usualL2(major, minor, sms));
    }

    /** What it is of a card. */
    public static DeviceModel of(Gpu gpu) {
        return new DeviceModel(gpu.major(), gpu.minor(), gpu.sms(), gpu.l2());
    }

    /**
     * Resident threads of a multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute
     * Capability").
     */
    public int threadsPerSm() {
        if (major == 7 && minor == 5) {
            return 1024;
        }
        boolean consumer = major == 8 && minor != 0 || major == 12;
        return consumer ? 1536 : 2048;
    }
}
