package dev.headroom.allocator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Builds the list of segments from the blocks (DeviceCachingAllocator::snapshot). */
final class SegmentMap {
    private SegmentMap() {}

    static List<Segment> of(BlockTable table) {
        List<Segment> segments = new ArrayList<>();
        for (int block = 0; block < table.bound(); block++) {
            if (table.exists(block) && table.isMapped(block) && !continues(table, block)) {
                segments.add(segment(table, block));
            }
        }
        segments.sort(Comparator.comparingLong(Segment::address));
        return segments;
    }

    /** Whether the mapped range began before the block. */
    private static boolean continues(BlockTable table, int block) {
        int previous = table.previous(block);
        return previous != BlockTable.NIL && table.isMapped(previous);
    }

    private static Segment segment(BlockTable table, int head) {
        List<Segment.Block> blocks = new ArrayList<>();
        long size = 0;
        for (int b = head; b != BlockTable.NIL && table.isMapped(b); b = table.next(b)) {
            size += table.size(b);
            blocks.add(new Segment.Block(b, table.address(b), table.size(b), table.requested(b), state(table, b)));
        }
        BlockPool pool = table.pool(head);
        return new Segment(
                table.address(head),
                size,
                table.stream(head),
                pool.small,
                table.isExpandable(head),
                pool.owner.id,
                blocks);
    }

    static BlockState state(BlockTable table, int block) {
        if (table.isAllocated(block)) {
            return BlockState.ACTIVE_ALLOCATED;
        }
        return table.isFree(block) ? BlockState.INACTIVE : BlockState.ACTIVE_PENDING_FREE;
    }
}
