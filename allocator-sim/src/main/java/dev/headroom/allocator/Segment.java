package dev.headroom.allocator;

import java.util.List;

/**
 * A range of device memory that the allocator holds, with its blocks in address order. An expandable segment appears
 * once for every contiguous mapped range, as in PyTorch's snapshots.
 *
 * @param address first byte
 * @param size bytes
 * @param stream the stream whose requests it serves
 * @param small true for the pool of requests up to 1 MiB
 * @param expandable true when it was mapped piece by piece
 * @param pool the private pool that owns it, or {@link CachingAllocator#DEFAULT_POOL}
 * @param blocks in address order, without gaps
 */
public record Segment(
        long address, long size, int stream, boolean small, boolean expandable, int pool, List<Block> blocks) {
    /** @param blocks copied */
    public Segment {
        blocks = List.copyOf(blocks);
    }

    /**
     * A block of a segment.
     *
     * @param handle what {@link CachingAllocator#allocate} returned for it; meaningless when inactive
     * @param address first byte
     * @param size bytes
     * @param requested bytes that the program asked for; for an inactive block those of its last use
     * @param state its use
     */
    public record Block(int handle, long address, long size, long requested, BlockState state) {}

    /** Bytes in blocks handed out. */
    public long allocated() {
        return sum(BlockState.ACTIVE_ALLOCATED);
    }

    /** Bytes in blocks handed out or still in use on another stream. */
    public long active() {
        return sum(BlockState.ACTIVE_ALLOCATED) + sum(BlockState.ACTIVE_PENDING_FREE);
    }

    private long sum(BlockState state) {
        long bytes = 0;
        for (Block block : blocks) {
            if (block.state() == state) {
                bytes += block.size();
            }
        }
        return bytes;
    }
}
