package dev.headroom.allocator.snapshot;

import dev.headroom.allocator.BlockState;
import java.util.List;

/**
 * A segment of a snapshot; sizes are bytes.
 *
 * @param device number of the device
 * @param address first byte
 * @param totalSize bytes
 * @param stream address of its CUDA stream
 * @param small true for the pool of small requests
 * @param pool private pool, or the default
 * @param expandable whether it was mapped piece by piece
 * @param frames where it was taken, innermost first
 * @param blocks in address order
 */
public record SnapshotSegment(
        int device,
        long address,
        long totalSize,
        long stream,
        boolean small,
        TraceEvent.PoolId pool,
        boolean expandable,
        List<Frame> frames,
        List<Block> blocks) {
    /**
     * A block of the segment.
     *
     * @param address first byte
     * @param size bytes
     * @param requestedSize bytes that the program asked for
     * @param state its use
     * @param frames where it was allocated, innermost first
     */
    public record Block(long address, long size, long requestedSize, BlockState state, List<Frame> frames) {}

    /** Bytes in blocks handed out. */
    public long allocatedSize() {
        return blocks.stream()
                .filter(b -> b.state() == BlockState.ACTIVE_ALLOCATED)
                .mapToLong(Block::size)
                .sum();
    }

    /** Bytes in blocks handed out or awaited on another stream. */
    public long activeSize() {
        return blocks.stream()
                .filter(b -> b.state() != BlockState.INACTIVE)
                .mapToLong(Block::size)
                .sum();
    }

    /** Bytes asked for in active blocks. */
    public long requestedSize() {
        return blocks.stream()
                .filter(b -> b.state() != BlockState.INACTIVE)
                .mapToLong(Block::requestedSize)
                .sum();
    }
}
