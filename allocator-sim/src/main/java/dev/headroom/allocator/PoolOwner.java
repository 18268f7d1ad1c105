package dev.headroom.allocator;

/**
 * The owner of a pair of pools. There is one for the default memory, which serves everybody, and one for each private
 * pool, which serves for instance the requests of a CUDA graph (c10's PrivatePool). Free blocks of one owner do not
 * serve requests to another.
 */
final class PoolOwner {
    final int id;
    final BlockPool small;
    final BlockPool large;
    /** Reserved bytes of this owner alone: {@code reserved_bytes_by_private_pools}. */
    final StatArray reserved;
    /** Graphs and scopes that use a private pool; at 0 its memory may be returned. */
    int uses = 1;
    /** Driver allocations not yet returned; asked for private pools only. */
    int segments;

    boolean useOnOutOfMemory;
    boolean splits = true;

    /** @param id of the private pool, or {@link CachingAllocator#DEFAULT_POOL} */
    PoolOwner(int id, BlockTable table, AllocatorStatistics stats, StatArray reserved) {
        this.id = id;
        this.reserved = reserved;
        this.small = new BlockPool(table, true, this, stats.small);
        this.large = new BlockPool(table, false, this, stats.large);
    }

    /** Takes over the free blocks and counters of another owner. */
    void copyFrom(PoolOwner other) {
        small.copyFrom(other.small);
        large.copyFrom(other.large);
        segments = other.segments;
    }

    boolean isDefault() {
        return id == CachingAllocator.DEFAULT_POOL;
    }

    /** The pool that serves a request of this size. */
    BlockPool pool(long size) {
        return size <= AllocatorSettings.SMALL_REQUEST ? small : large;
    }
}
