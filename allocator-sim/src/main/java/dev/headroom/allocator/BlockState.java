package dev.headroom.allocator;

/** What a block of a segment is used for; the names are those of PyTorch's memory snapshots. */
public enum BlockState {
    /** Handed out and not freed. */
    ACTIVE_ALLOCATED("active_allocated"),
    /** Freed, but still in use on another stream. */
    ACTIVE_PENDING_FREE("active_pending_free"),
    /** Cached: free for a request on the segment's stream. */
    INACTIVE("inactive");

    private final String label;

    BlockState(String label) {
        this.label = label;
    }

    /** The name in PyTorch's memory snapshots. */
    public String label() {
        return label;
    }
}
