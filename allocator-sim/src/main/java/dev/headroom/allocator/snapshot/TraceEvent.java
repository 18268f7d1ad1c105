package dev.headroom.allocator.snapshot;

import java.util.List;

/**
 * One entry of a device trace, as torch.cuda.memory records it.
 *
 * @param action PyTorch's name, such as "alloc", "free_requested", "segment_map", "oom"
 * @param address of the block or segment; the device's free bytes for "oom"
 * @param size requested bytes of a block, real bytes of a segment
 * @param stream address of the CUDA stream, 0 for the default one
 * @param timeMicros time since the epoch in microseconds
 * @param pool id of the private pool, (0, 0) for none
 * @param userMetadata label that the program set; empty for none
 * @param frames innermost first
 */
public record TraceEvent(
        String action,
        long address,
        long size,
        long stream,
        long timeMicros,
        PoolId pool,
        String userMetadata,
        List<Frame> frames) {
    /**
     * A private pool's id: c10's MempoolId_t.
     *
     * @param capture number of the graph capture, or 0
     * @param user number of the user's pool, or 0
     */
    public record PoolId(long capture, long user) {
        /** Memory outside of private pools. */
        public static final PoolId DEFAULT = new PoolId(0, 0);
    }
}
