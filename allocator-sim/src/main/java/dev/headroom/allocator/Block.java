package dev.headroom.allocator;

import org.jspecify.annotations.Nullable;

/**
 * A part of a segment: c10's {@code Block}. Blocks of one segment are a doubly linked list in address order. The object
 * of a block that ended serves another one later, so that steady work makes no objects.
 */
final class Block {
    private static final int ALLOCATED = 1;
    private static final int UNMAPPED = 2;
    private static final int USED_ELSEWHERE = 4;
    private static final int EVENT = 8;

    /** The number by which callers know the block. */
    final int handle;
    /** The free blocks of its pool and stream, whether it is among them or not. */
    FreeBlocks list;

    long address;
    /** Bytes; 0 when the block ended. */
    long size;
    /** Bytes that were asked for. */
    long requested;
    /** The pool's searches when the block was last put among the free ones: PyTorch's gc_count_base. */
    long cachedAt;

    @Nullable
    Block previous;

    @Nullable
    Block next;
    /** The segment, if it can grow. */
    ExpandableSegments.@Nullable Range segment;
    /** Age of the segment as a tie-break between free blocks of one size; 0 where the profile has none. */
    int age;
    /** Class of its size, while it is among the free blocks. */
    int sizeClass;
    /** How it is used, in bits, and above them the number of events that are awaited. */
    private int state;

    Block(int handle, FreeBlocks list) {
        this.handle = handle;
        this.list = list;
    }

    /** Begins a block with memory behind it, that nobody uses. */
    void begin(long atAddress, long bytes, @Nullable Block before, @Nullable Block after) {
        address = atAddress;
        size = bytes;
        requested = 0;
        age = 0;
        state = 0;
        previous = before;
        next = after;
    }

    /** Takes over all but the list from the block of the same handle in another table. */
    void copyFrom(Block other, BlockTable table) {
        address = other.address;
        size = other.size;
        requested = other.requested;
        cachedAt = other.cachedAt;
        previous = other.previous == null ? null : table.get(other.previous.handle);
        next = other.next == null ? null : table.get(other.next.handle);
        segment = other.segment;
        age = other.age;
        sizeClass = other.sizeClass;
        state = other.state;
    }

    BlockPool pool() {
        return list.pool;
    }

    int stream() {
        return list.stream;
    }

    boolean exists() {
        return size > 0;
    }

    boolean isAllocated() {
        return (state & ALLOCATED) != 0;
    }

    void allocate(long bytes) {
        requested = bytes;
        state |= ALLOCATED;
    }

    void deallocate() {
        state &= ~ALLOCATED;
    }

    /** Free for use: not handed out and not awaited on another stream. */
    boolean isFree() {
        return (state & ~UNMAPPED) == 0;
    }

    /** Whether another block is free as this one is, and both have memory behind them or both have none. */
    boolean isLike(Block other) {
        return state == other.state;
    }

    /** Whether the block is only a part of its segment. */
    boolean isSplit() {
        return previous != null || next != null;
    }

    boolean isExpandable() {
        return segment != null;
    }

    boolean isMapped() {
        return (state & UNMAPPED) == 0;
    }

    void setMapped(boolean mapped) {
        state = mapped ? state & ~UNMAPPED : state | UNMAPPED;
    }

    /** True when another stream recorded a use of the block; the streams are kept by {@link StreamEvents}. */
    boolean isUsedElsewhere() {
        return (state & USED_ELSEWHERE) != 0;
    }

    void setUsedElsewhere(boolean usedElsewhere) {
        state = usedElsewhere ? state | USED_ELSEWHERE : state & ~USED_ELSEWHERE;
    }

    /** Events of other streams that are still awaited. */
    int events() {
        return state / EVENT;
    }

    void addEvents(int more) {
        state += more * EVENT;
    }

    /** Puts the block between two neighbours, either of which may be absent. */
    void splice(@Nullable Block before, @Nullable Block after) {
        previous = before;
        next = after;
        if (before != null) {
            before.next = this;
        }
        if (after != null) {
            after.previous = this;
        }
    }

    /** Takes over the segment and its age from a block of the same segment. */
    void inherit(Block from) {
        age = from.age;
        if (from.segment != null) {
            segment = from.segment;
        }
    }
}
