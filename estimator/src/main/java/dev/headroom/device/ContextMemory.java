package dev.headroom.device;

/**
 * Device memory that a PyTorch process takes before it allocates anything: CUDA's context with lazily loaded kernels. It
 * is no tensor memory: nvidia-smi shows it, {@code memory_reserved} does not.
 */
public final class ContextMemory {
    /** RTX 6000 Ada, PyTorch 2.10 with CUDA 13.0, by cudaMemGetInfo: 426 MiB (unsloth-zoo pull request 1053). */
    private static final long ADA = 426L << 20;

    /** CUDA 11.7 and later, lazy loading: about 400 MB once common kernels have run (PyTorch issues 107667 and 109888). */
    private static final long TYPICAL = 400_000_000L;

    private ContextMemory() {}

    /** Bytes for a card; typical, not measured, where no figure for its generation is known. */
    public static long bytes(Gpu gpu) {
        return measured(gpu) ? ADA : TYPICAL;
    }

    /** Whether a figure for the card's generation is known. */
    public static boolean measured(Gpu gpu) {
        return gpu.major() == 8 && gpu.minor() == 9;
    }
}
