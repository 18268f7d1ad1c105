package dev.headroom.model.device;

/**
 * A named part of what nvidia-smi shows for a process, in bytes.
 *
 * @param part {@code reserved}, {@code context}, {@code libraries}, {@code cublas}, {@code cudnn}, {@code nccl} or
 *     {@code paged}
 * @param low at least
 * @param bytes what is counted
 * @param high at most
 * @param source where the figures come from
 */
public record DeviceLine(String part, long low, long bytes, long high, String source) {
    /** CUDA's context with the kernels that are loaded with it. */
    public static final String CONTEXT = "context";

    /** Kernels, of PyTorch and of libraries, that are loaded when they are first used. */
    public static final String LIBRARIES = "libraries";

    /** Kernels and buffers of cuBLAS, loaded when the first matrices are multiplied. */
    public static final String CUBLAS = "cublas";

    /** Kernels and buffers of cuDNN, loaded when the first operator asks for it. */
    public static final String CUDNN = "cudnn";

    /** Buffers of NCCL's communicators. */
    public static final String NCCL = "nccl";

    /** The segments of the caching allocator. */
    public static final String RESERVED = "reserved";

    /** Managed memory: CUDA moves it to the host where there is no room for it, so that a run fits without it. */
    public static final String PAGED = "paged";

    /** The line of managed memory. */
    public static DeviceLine paged(long bytes) {
        return new DeviceLine(PAGED, 0, bytes, bytes, "managed memory of a paged optimizer, which moves to the host");
    }

    /** @throws IllegalArgumentException when the figures are not in order */
    public DeviceLine {
        if (low < 0 || low > bytes || bytes > high) {
            throw new IllegalArgumentException(part + ": " + low + ", " + bytes + ", " + high + " are not in order");
        }
    }

    /** Whether a single figure is known. */
    public boolean exact() {
        return low == high;
    }
}
