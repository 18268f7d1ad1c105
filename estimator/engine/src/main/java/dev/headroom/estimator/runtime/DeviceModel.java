package dev.headroom.estimator.runtime;

/**
 * The properties of a GPU that decide what PyTorch allocates.
 *
 * @param major compute capability
 * @param minor compute capability
 * @param sms streaming multiprocessors
 */
public record DeviceModel(int major, int minor, int sms) {
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
