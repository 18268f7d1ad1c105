package dev.headroom.device;

/**
 * Device memory that a PyTorch process takes before it allocates anything: CUDA's context with lazily loaded kernels (CUDA
 * 11.7 and later). It is no tensor memory: nvidia-smi shows it, {@code memory_reserved} does not. It grows with the number
 * of multiprocessors, each of which gets its share of stacks and local memory; between the two cards for which figures
 * are published it is taken as linear.
 */
public final class ContextMemory {
    /** RTX 6000 Ada, PyTorch 2.10 with CUDA 13.0, by cudaMemGetInfo: 426 MiB (unsloth-zoo pull request 1053). */
    private static final Figure LARGE = new Figure(142, 426L << 20);

    /**
     * RTX 4060, PyTorch 2.6 with CUDA 12.4: at most 147 MiB, because a process got 7786 MiB more than its context from a
     * card of 7933 MiB (xMem, T5-small with AdamW and batch 49, which ran out of memory).
     */
    private static final Figure SMALL = new Figure(24, 147L << 20);

    private record Figure(int sms, long bytes) {}

    private ContextMemory() {}

    /** Bytes for a card. */
    public static long bytes(Gpu gpu) {
        double slope = (LARGE.bytes - SMALL.bytes) / (double) (LARGE.sms - SMALL.sms);
        return SMALL.bytes + Math.round(slope * (gpu.sms() - SMALL.sms));
    }

    /** Whether the card's own figure is known. */
    public static boolean measured(Gpu gpu) {
        return gpu.major() == 8 && gpu.minor() == 9 && (gpu.sms() == LARGE.sms || gpu.sms() == SMALL.sms);
    }
}
