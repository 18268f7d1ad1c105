package dev.headroom.allocator;

/** Memory set apart for one user, such as a CUDA graph: c10's PrivatePool. */
final class PrivatePool {
    final int id;
    final BlockPool small;
    final BlockPool large;
    /** Reserved bytes of this pool alone: {@code reserved_bytes_by_private_pools}. */
    final StatArray reserved;
    /** Graphs and scopes that use the pool; at 0 its memory may be returned. */
    int uses = 1;
    /** Driver allocations not yet returned. */
    int segments;

    boolean useOnOutOfMemory;
    boolean splits = true;

    PrivatePool(int id, BlockTable table, StatArray reserved) {
        this.id = id;
        this.reserved = reserved;
        this.small = new BlockPool(table, true, this);
        this.large = new BlockPool(table, false, this);
    }
}
