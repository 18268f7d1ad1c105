package dev.headroom.executor.tensor;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.List;

/** Every storage that was made and freed, with its owner, in order. */
public final class MemoryLog {
    /** The number of a storage that takes no memory. */
    public static final int NONE = -1;

    /** A named workspace of a library. */
    public record Workspace(String library, long bytes) {}

    /**
     * A change.
     *
     * @param storage number of the storage
     * @param bytes of its block, rounded as the allocator rounds; negative when it is freed
     */
    public record Change(int storage, long bytes, Owner owner) {}

    private final LongArrayList sizes = new LongArrayList();
    private final List<Change> changes = new ArrayList<>();
    private final List<Owner> owners = new ArrayList<>();

    int allocated(long bytes, Owner owner) {
        int number = sizes.size();
        sizes.add(bytes);
        owners.add(owner);
        changes.add(new Change(number, bytes, owner));
        return number;
    }

    void freed(int storage) {
        changes.add(new Change(storage, -sizes.getLong(storage), owners.get(storage)));
    }

    /** In the order in which they happened. */
    public List<Change> changes() {
        return changes;
    }
}
