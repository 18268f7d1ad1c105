package dev.headroom.allocator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Builds the list of segments from the blocks (DeviceCachingAllocator::snapshot). */
final class SegmentMap {
    private SegmentMap() {}

    static List<Segment> of(BlockTable table) {
        List<Segment> segments = new ArrayList<>();
        for (int handle = 0; handle < table.bound(); handle++) {
            Block block = table.get(handle);
            if (block.exists() && block.isMapped() && !continues(block)) {
                segments.add(segment(block));
            }
        }
        segments.sort(Comparator.comparingLong(Segment::address));
        return segments;
    }

    /** Whether the mapped range began before the block. */
    private static boolean continues(Block block) {
        Block previous = block.previous;
        return previous != null && previous.isMapped();
    }

    private static Segment segment(Block head) {
        List<Segment.Block> blocks = new ArrayList<>();
        long size = 0;
        for (Block b = head; b != null && b.isMapped(); b = b.next) {
            size += b.size;
            blocks.add(new Segment.Block(b.handle, b.address, b.size, b.requested, state(b)));
        }
        BlockPool pool = head.pool();
        return new Segment(head.address, size, head.stream(), pool.small, head.isExpandable(), pool.owner.id, blocks);
    }

    private static BlockState state(Block block) {
        if (block.isAllocated()) {
            return BlockState.ACTIVE_ALLOCATED;
        }
        return block.isFree() ? BlockState.INACTIVE : BlockState.ACTIVE_PENDING_FREE;
    }
}
