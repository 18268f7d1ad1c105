package dev.headroom.executor.op.basic;

import dev.headroom.model.device.Gpu;

/** What a GPU's multiprocessors hold. */
public final class Multiprocessors {
    private Multiprocessors() {}

    /** Resident threads, by compute capability (CUDA C++ Programming Guide, technical specifications). */
    public static int threads(Gpu gpu) {
        return switch (10 * gpu.major() + gpu.minor()) {
            case 75 -> 1024;
            case 86, 87, 89, 120, 121 -> 1536;
            default -> 2048;
        };
    }
}
