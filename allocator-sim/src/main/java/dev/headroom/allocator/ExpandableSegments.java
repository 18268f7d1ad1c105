package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Segments that grow: addresses are reserved for 9/8 of the device's memory at once and memory is put behind them as
 * requests need it (DeviceCachingAllocator: find_expandable_block, map_block, unmap_block). There is one list of blocks
 * for the whole range; parts without memory are unmapped blocks.
 */
final class ExpandableSegments {
    private final AllocatorCore core;
    private final BlockTable table;

    ExpandableSegments(AllocatorCore core) {
        this.core = core;
        this.table = core.table;
    }

    /**
     * Maps as much memory as a request lacks.
     *
     * @return a block of at least the size, no longer among the free ones; nothing when the device has no room
     */
    @Nullable
    Block allocate(BlockPool pool, int stream, long bytes) {
        Block block = candidate(pool, stream, bytes);
        if (block == null) {
            return null;
        }
        if (!block.isMapped() && !map(block, Math.min(block.size, bytes))) {
            return null;
        }
        while (block.size < bytes) {
            Block next = Objects.requireNonNull(block.next, "what has room ends with an unmapped block");
            if (!map(next, Math.min(bytes - block.size, next.size))) {
                return null;
            }
            block = next;
        }
        block.list.remove(block);
        return block;
    }

    /** Takes the memory from all whole granules of a free block; an empty segment gives up its addresses. */
    void release(Block block) {
        if (unmap(block) && !block.isSplit()) {
            Range segment = segment(block);
            block.pool().removeUnmapped(block);
            core.memory.releaseAddresses(segment.address(), segment.bytes());
            table.delete(block);
        }
    }

    private static Range segment(Block block) {
        return Objects.requireNonNull(block.segment, "a segment that cannot grow");
    }

    /** The lowest place of free and unmapped blocks that has room. */
    private @Nullable Block candidate(BlockPool pool, int stream, long bytes) {
        for (Block block : pool.unmapped(stream)) {
            Block previous = block.previous;
            Block from = previous != null && previous.isFree() ? previous : block;
            if (hasRoom(from, bytes)) {
                return from;
            }
        }
        return open(pool, stream, bytes);
    }

    private static boolean hasRoom(Block block, long bytes) {
        long room = 0;
        for (Block b = block; room < bytes && b != null && b.isFree(); b = b.next) {
            room += b.size;
        }
        return room >= bytes;
    }

    /** Reserves the addresses of a new segment, which begins as one block without memory. */
    private @Nullable Block open(BlockPool pool, int stream, long bytes) {
        long granule = pool.small ? AllocatorSettings.SMALL_SEGMENT : core.settings.largeSegmentSize();
        long total = core.memory.total();
        long reserve = Bytes.roundUp(total + total / 8, granule);
        if (reserve < bytes) {
            return null;
        }
        long address = core.memory.reserveAddresses(reserve);
        if (address == DeviceMemory.NONE) {
            throw new IllegalStateException("no addresses left for an expandable segment of " + reserve
                    + " bytes: PyTorch stops here with a driver error; use fewer streams");
        }
        Block block = table.create(pool.free(stream), address, reserve);
        block.setMapped(false);
        block.segment = new Range(address, reserve, granule);
        block.age = core.nextAge();
        pool.insertUnmapped(block);
        return block;
    }

    /** Maps whole granules at the start of an unmapped block and puts them among the free ones. */
    private boolean map(Block block, long bytes) {
        Range segment = segment(block);
        BlockPool pool = block.pool();
        long from = block.address;
        long mapped = segment.up(from + bytes) - from;
        if (!core.memory.map(from, mapped, segment.granule())) {
            return false;
        }
        pool.removeUnmapped(block);
        block.setMapped(true);
        if (mapped < block.size) {
            Block rest = part(block, from + mapped, block.size - mapped);
            rest.setMapped(false);
            rest.splice(block, block.next);
            pool.insertUnmapped(rest);
            block.size = mapped;
        }
        core.merge(block, block.previous);
        core.merge(block, block.next);
        core.cache(block);
        core.reserve(pool, mapped);
        core.emit(Action.SEGMENT_MAP, from, mapped, block.stream(), pool);
        return true;
    }

    /**
     * Takes the memory from the whole granules within a block. What remains at either end becomes a block of its own.
     *
     * @return whether there was a whole granule; if so, the block now stands for the range without memory
     */
    private boolean unmap(Block block) {
        Range segment = segment(block);
        BlockPool pool = block.pool();
        long start = block.address;
        long end = start + block.size;
        long from = segment.up(start);
        long to = segment.down(end);
        if (from >= to) {
            return false;
        }
        core.memory.unmap(from, to - from, segment.granule());
        block.list.remove(block);
        if (from > start) {
            Block kept = part(block, start, from - start);
            kept.splice(block.previous, block);
            core.cache(kept);
        }
        if (to < end) {
            Block kept = part(block, to, end - to);
            kept.splice(block, block.next);
            core.cache(kept);
        }
        block.address = from;
        block.size = to - from;
        block.setMapped(false);
        core.merge(block, block.previous);
        core.merge(block, block.next);
        pool.insertUnmapped(block);
        core.unreserve(pool, to - from);
        core.emit(Action.SEGMENT_UNMAP, from, to - from, block.stream(), pool);
        return true;
    }

    /** A new block for a part of another, not yet among its neighbours. */
    private Block part(Block whole, long address, long bytes) {
        Block part = table.create(whole.list, address, bytes);
        part.inherit(whole);
        return part;
    }

    /**
     * A range of reserved addresses that gets memory in granules: c10's ExpandableSegment.
     *
     * @param address first address
     * @param bytes size of the range, a multiple of the granule
     * @param granule bytes that are mapped and unmapped together
     */
    record Range(long address, long bytes, long granule) {
        /** First granule border at or below an address. */
        long down(long at) {
            return address + (at - address) / granule * granule;
        }

        /** First granule border at or above an address. */
        long up(long at) {
            return address + Bytes.roundUp(at - address, granule);
        }
    }
}
