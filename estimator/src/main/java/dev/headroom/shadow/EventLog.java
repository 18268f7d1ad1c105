package dev.headroom.shadow;

import it.unimi.dsi.fastutil.bytes.ByteArrayList;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/**
 * Every allocation, free and change of category of a run, in order. Rows of storages: requested and rounded bytes and
 * who made them. Rows of events: the storage and what became of it.
 */
public final class EventLog {
    private static final byte FREE = -1;
    private static final Category[] CATEGORIES = Category.values();

    private final LongArrayList requested = new LongArrayList();
    private final LongArrayList rounded = new LongArrayList();
    private final IntArrayList attribution = new IntArrayList();
    private final IntArrayList eventStorage = new IntArrayList();
    private final ByteArrayList eventKind = new ByteArrayList();

    int add(long requestedBytes, long roundedBytes, int madeBy, Category category) {
        int id = requested.size();
        requested.add(requestedBytes);
        rounded.add(roundedBytes);
        attribution.add(madeBy);
        event(id, (byte) category.ordinal());
        return id;
    }

    void free(int storage) {
        event(storage, FREE);
    }

    void category(int storage, Category category) {
        event(storage, (byte) category.ordinal());
    }

    private void event(int storage, byte kind) {
        eventStorage.add(storage);
        eventKind.add(kind);
    }

    /** Number of events so far. */
    public int size() {
        return eventKind.size();
    }

    /** The storage of an event. */
    public int storage(int event) {
        return eventStorage.getInt(event);
    }

    /** Whether an event ends its storage. */
    public boolean isFree(int event) {
        return eventKind.getByte(event) == FREE;
    }

    /** Number of storages so far. */
    public int storages() {
        return requested.size();
    }

    /** Requested bytes of a storage. */
    public long requested(int storage) {
        return requested.getLong(storage);
    }

    /** Bytes of a storage's block. */
    public long rounded(int storage) {
        return rounded.getLong(storage);
    }

    /** Number of the {@link Attribution} of a storage. */
    public int attribution(int storage) {
        return attribution.getInt(storage);
    }

    /** Told of events in order. */
    public interface Visitor {
        void allocated(int storage);

        void freed(int storage);

        /** The storage counts as something else from now on. */
        default void changed(int storage, Category category) {}
    }

    /** Tells of the first {@code events} events. */
    public void replay(int events, Visitor visitor) {
        int born = 0;
        for (int i = 0; i < events; i++) {
            int storage = eventStorage.getInt(i);
            byte kind = eventKind.getByte(i);
            if (kind == FREE) {
                visitor.freed(storage);
            } else {
                if (storage == born) {
                    born++;
                    visitor.allocated(storage);
                }
                visitor.changed(storage, CATEGORIES[kind]);
            }
        }
    }

    /**
     * What was alive after the first {@code events} events.
     *
     * @return by storage: its category, or {@code null} when it was not alive
     */
    public Category[] aliveAfter(int events) {
        Category[] out = new Category[requested.size()];
        for (int i = 0; i < events; i++) {
            byte kind = eventKind.getByte(i);
            out[eventStorage.getInt(i)] = kind == FREE ? null : CATEGORIES[kind];
        }
        return out;
    }
}
