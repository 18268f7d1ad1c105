package dev.headroom.estimator.log;

import dev.headroom.model.graph.DType;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Every allocation, free and change of category of a run, in order. Rows of storages: requested and rounded bytes, who
 * made them, on which stream, and the tensor they were made for. Rows of events: the storage, what became of it, what
 * ran and how much the allocator holds after it.
 */
public final class EventLog {
    private static final byte FREE = -1;
    private static final Category[] CATEGORIES = Category.values();

    private final LongArrayList requested;
    private final LongArrayList rounded;
    private final IntArrayList attribution;
    private final IntArrayList stream;
    private final ObjectArrayList<DType> dtype;
    private final ObjectArrayList<long[]> sizes;
    private final IntArrayList eventStorage;
    private byte[] eventKind;
    private final IntArrayList eventRunning;
    private final LongArrayList eventReserved;
    private final BitSet spared;
    private int frees;

    /** An empty one. */
    public EventLog() {
        requested = new LongArrayList();
        rounded = new LongArrayList();
        attribution = new IntArrayList();
        stream = new IntArrayList();
        dtype = new ObjectArrayList<>();
        sizes = new ObjectArrayList<>();
        eventStorage = new IntArrayList();
        eventKind = new byte[16];
        eventRunning = new IntArrayList();
        eventReserved = new LongArrayList();
        spared = new BitSet();
    }

    private EventLog(EventLog same, long[] roundedBytes, long[] reservedBytes) {
        requested = same.requested;
        rounded = LongArrayList.wrap(roundedBytes);
        attribution = same.attribution;
        stream = same.stream;
        dtype = same.dtype;
        sizes = same.sizes;
        eventStorage = same.eventStorage;
        eventKind = same.eventKind;
        eventRunning = same.eventRunning;
        eventReserved = LongArrayList.wrap(reservedBytes);
        spared = same.spared;
        frees = same.frees;
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
        int id = requested.size();
        requested.add(requestedBytes);
        rounded.add(roundedBytes);
        attribution.add(madeBy);
        stream.add(onStream);
        dtype.add(type);
        sizes.add(shape);
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
        int event = eventStorage.size();
        if (event == eventKind.length) {
            eventKind = Arrays.copyOf(eventKind, event * 2);
        }
        eventKind[event] = kind;
        eventStorage.add(storage);
        eventRunning.add(running);
        eventReserved.add(reserved);
    }

    /** Number of events so far. */
    public int size() {
        return eventStorage.size();
    }

    /** The storage of an event. */
    public int storage(int event) {
        return eventStorage.getInt(event);
    }

    /** Whether an event ends its storage. */
    public boolean isFree(int event) {
        return eventKind[event] == FREE;
    }

    /** What an event's storage counts as from then on; {@code null} when the event frees it. */
    public @Nullable Category category(int event) {
        byte kind = eventKind[event];
        return kind == FREE ? null : CATEGORIES[kind];
    }

    /** Number of the {@link Attribution} of what ran when an event happened. */
    public int running(int event) {
        return eventRunning.getInt(event);
    }

    /** Bytes that the allocator held after an event. */
    public long reserved(int event) {
        return eventReserved.getLong(event);
    }

    /** Number of storages that are not freed. */
    public int alive() {
        return requested.size() - frees;
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

    /** The stream whose pool a storage's block is of. */
    public int stream(int storage) {
        return stream.getInt(storage);
    }

    /** Element type of the tensor that a storage was made for. */
    public DType dtype(int storage) {
        return dtype.get(storage);
    }

    /** Sizes of the tensor that a storage was made for; do not change the array. */
    public long[] sizes(int storage) {
        return sizes.get(storage);
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
            byte kind = eventKind[i];
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
            byte kind = eventKind[i];
            out[eventStorage.getInt(i)] = kind == FREE ? null : CATEGORIES[kind];
        }
        return out;
    }
}
