package dev.headroom.estimator.log;

import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every allocation, free and change of category of a run, in order. Rows of storages: requested and rounded bytes, who
 * made them, on which stream, and the tensor they were made for. Rows of events: the storage, what became of it, what
 * ran and how much the allocator holds after it.
 */
public final class EventLog {
    private static final byte FREE = -1;
    private static final Category[] CATEGORIES = Category.values();

    /** Rows of a page, as a power of two. Logs grow by pages, so that nothing is copied and little stays empty. */
    private static final int SHIFT = 12;

    private static final int ROWS = 1 << SHIFT;
    private static final int ROW = ROWS - 1;

    private final List<StoragePage> storagePages;
    private int storages;
    private final List<EventPage> eventPages;
    private int events;
    private final BitSet spared;
    private int frees;

    /** In place of what the pages say, where the events were played on another allocator; else {@code null}. */
    private final long @Nullable [] otherRounded;

    private final long @Nullable [] otherReserved;

    /** Rows of storages. */
    private static final class StoragePage {
        final long[] requested = new long[ROWS];
        final long[] rounded = new long[ROWS];
        final int[] attribution = new int[ROWS];
        final int[] stream = new int[ROWS];
        final DType[] dtype = new DType[ROWS];
        final long[][] sizes = new long[ROWS][];
    }

    /** Rows of events. */
    private static final class EventPage {
        final int[] storage = new int[ROWS];
        final byte[] kind = new byte[ROWS];
        final int[] running = new int[ROWS];
        final long[] reserved = new long[ROWS];
    }

    /** An empty one. */
    public EventLog() {
        storagePages = new ArrayList<>();
        eventPages = new ArrayList<>();
        spared = new BitSet();
        otherRounded = null;
        otherReserved = null;
    }

    private EventLog(EventLog same, long[] roundedBytes, long[] reservedBytes) {
        storagePages = same.storagePages;
        storages = same.storages;
        eventPages = same.eventPages;
        events = same.events;
        spared = same.spared;
        frees = same.frees;
        otherRounded = roundedBytes;
        otherReserved = reservedBytes;
    }

    /**
     * The same events on another allocator; neither log may grow any more.
     *
     * @param roundedBytes of every storage
     * @param reservedBytes after every event
     */
    public EventLog on(long[] roundedBytes, long[] reservedBytes) {
        return new EventLog(this, roundedBytes, reservedBytes);
    }

    public int add(
            long requestedBytes,
            long roundedBytes,
            int madeBy,
            Category category,
            DType type,
            long[] shape,
            int onStream,
            long reserved) {
        int id = storages++;
        if (id % ROWS == 0) {
            storagePages.add(new StoragePage());
        }
        StoragePage page = storagePages.get(id >>> SHIFT);
        int row = id & ROW;
        page.requested[row] = requestedBytes;
        page.rounded[row] = roundedBytes;
        page.attribution[row] = madeBy;
        page.stream[row] = onStream;
        page.dtype[row] = type;
        page.sizes[row] = shape;
        event(id, (byte) category.ordinal(), madeBy, reserved);
        return id;
    }

    public void free(int storage, int running, long reserved) {
        frees++;
        event(storage, FREE, running, reserved);
    }

    public void category(int storage, Category category, int running, long reserved) {
        event(storage, (byte) category.ordinal(), running, reserved);
    }

    /** Notes that a run without cuDNN's workspaces does the same but for this storage. */
    public void spare(int storage) {
        spared.set(storage);
    }

    /** Whether a run without cuDNN's workspaces does the same but for this storage. */
    public boolean isSpared(int storage) {
        return spared.get(storage);
    }

    private void event(int storage, byte kind, int running, long reserved) {
        int event = events++;
        if (event % ROWS == 0) {
            eventPages.add(new EventPage());
        }
        EventPage page = eventPages.get(event >>> SHIFT);
        int row = event & ROW;
        page.storage[row] = storage;
        page.kind[row] = kind;
        page.running[row] = running;
        page.reserved[row] = reserved;
    }

    /** Number of events so far. */
    public int size() {
        return events;
    }

    /** The storage of an event. */
    public int storage(int event) {
        return eventPages.get(event >>> SHIFT).storage[event & ROW];
    }

    private byte kind(int event) {
        return eventPages.get(event >>> SHIFT).kind[event & ROW];
    }

    /** Whether an event ends its storage. */
    public boolean isFree(int event) {
        return kind(event) == FREE;
    }

    /** What an event's storage counts as from then on; {@code null} when the event frees it. */
    public @Nullable Category category(int event) {
        byte kind = kind(event);
        return kind == FREE ? null : CATEGORIES[kind];
    }

    /** Number of the {@link Attribution} of what ran when an event happened. */
    public int running(int event) {
        return eventPages.get(event >>> SHIFT).running[event & ROW];
    }

    /** Bytes that the allocator held after an event. */
    public long reserved(int event) {
        return otherReserved == null ? eventPages.get(event >>> SHIFT).reserved[event & ROW] : otherReserved[event];
    }

    /** Number of storages that are not freed. */
    public int alive() {
        return storages - frees;
    }

    /** Number of storages so far. */
    public int storages() {
        return storages;
    }

    /** Requested bytes of a storage. */
    public long requested(int storage) {
        return storagePages.get(storage >>> SHIFT).requested[storage & ROW];
    }

    /** Bytes of a storage's block. */
    public long rounded(int storage) {
        return otherRounded == null
                ? storagePages.get(storage >>> SHIFT).rounded[storage & ROW]
                : otherRounded[storage];
    }

    /** Number of the {@link Attribution} of a storage. */
    public int attribution(int storage) {
        return storagePages.get(storage >>> SHIFT).attribution[storage & ROW];
    }

    /** The stream whose pool a storage's block is of. */
    public int stream(int storage) {
        return storagePages.get(storage >>> SHIFT).stream[storage & ROW];
    }

    /** Element type of the tensor that a storage was made for. */
    public DType dtype(int storage) {
        return storagePages.get(storage >>> SHIFT).dtype[storage & ROW];
    }

    /** Sizes of the tensor that a storage was made for; do not change the array. */
    public long[] sizes(int storage) {
        return storagePages.get(storage >>> SHIFT).sizes[storage & ROW];
    }

    /** Told of events in order. */
    public interface Visitor {
        void allocated(int storage);

        void freed(int storage);

        /** The storage counts as something else from now on. */
        default void changed(int storage, Category category) {}
    }

    /** Tells of the first {@code until} events. */
    public void replay(int until, Visitor visitor) {
        int born = 0;
        for (int i = 0; i < until; i++) {
            int storage = storage(i);
            byte kind = kind(i);
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
     * What was alive after the first {@code until} events.
     *
     * @return by storage: its category, or {@code null} when it was not alive
     */
    public Category[] aliveAfter(int until) {
        Category[] out = new Category[storages];
        for (int i = 0; i < until; i++) {
            byte kind = kind(i);
            out[storage(i)] = kind == FREE ? null : CATEGORIES[kind];
        }
        return out;
    }
}
