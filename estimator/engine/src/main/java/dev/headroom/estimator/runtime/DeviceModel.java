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

    /**
     * Bytes of the L2 cache (NVIDIA's architecture papers of Volta, Turing, Ampere, Ada and Hopper; H200 as CUDA
     * reports it).
     */
    public long l2Bytes() {
        int few = 64;
        long mebibytes =
                switch (10 * major + minor) {
                    case 80 -> 40;
                    case 86 -> sms < few ? 3 : 6;
                    case 89 -> sms < few ? 32 : 72;
                    case 90 -> 60;
                    case 100, 103, 120 -> 96;
                    default -> 6;
                };
        return mebibytes << 20;
    }
}
