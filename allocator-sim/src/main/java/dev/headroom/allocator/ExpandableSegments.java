package dev.headroom.allocator;

import dev.headroom.allocator.AllocatorListener.Action;
import it.unimi.dsi.fastutil.ints.IntArrayList;

/**
 * Segments that grow: addresses are reserved for 9/8 of the device's memory at once and memory is put behind them as
 * requests need it (DeviceCachingAllocator: find_expandable_block, map_block, unmap_block). There is one list of blocks
 * for the whole range; parts without memory are unmapped blocks.
 */
final class ExpandableSegments {
    private static final int NIL = BlockTable.NIL;

    private final AllocatorCore core;
    private final BlockTable table;

    ExpandableSegments(AllocatorCore core) {
        this.core = core;
        this.table = core.table;
    }

    /**
     * Maps as much memory as a request lacks.
     *
     * @return a block of at least the size, no longer among the free ones; NIL when the device has no room
     */
    int allocate(BlockPool pool, int stream, long bytes) {
        int block = candidate(pool, stream, bytes);
        if (block == NIL) {
            return NIL;
        }
        if (!table.isMapped(block) && !map(block, Math.min(table.size(block), bytes))) {
            return NIL;
        }
        while (table.size(block) < bytes) {
            int next = table.next(block);
            if (!map(next, Math.min(bytes - table.size(block), table.size(next)))) {
                return NIL;
            }
            block = next;
        }
        pool.remove(block);
        return block;
    }

    /** Takes the memory from all whole granules of a free block; an empty segment gives up its addresses. */
    void release(int block) {
        if (unmap(block) && table.previous(block) == NIL && table.next(block) == NIL) {
            Range segment = table.segment(block);
            table.pool(block).removeUnmapped(block);
            core.memory.releaseAddresses(segment.address(), segment.bytes());
            table.delete(block);
        }
    }

    /** The lowest place of free and unmapped blocks that has room. */
    private int candidate(BlockPool pool, int stream, long bytes) {
        IntArrayList unmapped = pool.unmapped(stream);
        for (int i = 0; i < unmapped.size(); i++) {
            int block = unmapped.getInt(i);
            if (table.isFree(table.previous(block))) {
                block = table.previous(block);
            }
            if (hasRoom(block, bytes)) {
                return block;
            }
        }
        return open(pool, stream, bytes);
    }

    private boolean hasRoom(int block, long bytes) {
        long room = 0;
        for (int b = block; room < bytes && table.isFree(b); b = table.next(b)) {
            room += table.size(b);
        }
        return room >= bytes;
    }

    /** Reserves the addresses of a new segment, which begins as one block without memory. */
    private int open(BlockPool pool, int stream, long bytes) {
        long granule = pool.small ? AllocatorSettings.SMALL_SEGMENT : core.settings.largeSegmentSize();
        long total = core.memory.total();
        long reserve = Bytes.roundUp(total + total / 8, granule);
        if (reserve < bytes) {
            return NIL;
        }
        long address = core.memory.reserveAddresses(reserve);
        if (address == DeviceMemory.NONE) {
            throw new IllegalStateException("no addresses left for an expandable segment of " + reserve
                    + " bytes: PyTorch stops here with a driver error; use fewer streams");
        }
        int block = table.create(pool.free(stream), address, reserve);
        table.setMapped(block, false);
        table.setSegment(block, new Range(address, reserve, granule));
        table.setAge(block, core.nextAge());
        pool.insertUnmapped(block);
        return block;
    }

    /** Maps whole granules at the start of an unmapped block and puts them among the free ones. */
    private boolean map(int block, long bytes) {
        Range segment = table.segment(block);
        BlockPool pool = table.pool(block);
        long from = table.address(block);
        long mapped = segment.up(from + bytes) - from;
        if (!core.memory.map(from, mapped, segment.granule())) {
            return false;
        }
        pool.removeUnmapped(block);
        table.setMapped(block, true);
        if (mapped < table.size(block)) {
            int rest = table.create(table.list(block), from + mapped, table.size(block) - mapped);
            table.setMapped(rest, false);
            table.inherit(rest, block);
            table.splice(rest, block, table.next(block));
            pool.insertUnmapped(rest);
            table.setSize(block, mapped);
        }
        core.merge(block, table.previous(block));
        core.merge(block, table.next(block));
        core.cache(block);
        core.reserve(pool, mapped);
        core.emit(Action.SEGMENT_MAP, from, mapped, table.stream(block), pool);
        return true;
    }

    /**
     * Takes the memory from the whole granules within a block. What remains at either end becomes a block of its own.
     *
     * @return whether there was a whole granule; if so, the block now stands for the range without memory
     */
    private boolean unmap(int block) {
        Range segment = table.segment(block);
        BlockPool pool = table.pool(block);
        long start = table.address(block);
        long end = start + table.size(block);
        long from = segment.up(start);
        long to = segment.down(end);
        if (from >= to) {
            return false;
        }
        core.memory.unmap(from, to - from, segment.granule());
        pool.remove(block);
        if (from > start) {
            int kept = table.create(table.list(block), start, from - start);
            table.inherit(kept, block);
            table.splice(kept, table.previous(block), block);
            core.cache(kept);
        }
        if (to < end) {
            int kept = table.create(table.list(block), to, end - to);
            table.inherit(kept, block);
            table.splice(kept, block, table.next(block));
            core.cache(kept);
        }
        table.setAddress(block, from);
        table.setSize(block, to - from);
        table.setMapped(block, false);
        core.merge(block, table.previous(block));
        core.merge(block, table.next(block));
        pool.insertUnmapped(block);
        core.unreserve(pool, to - from);
        core.emit(Action.SEGMENT_UNMAP, from, to - from, table.stream(block), pool);
        return true;
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
