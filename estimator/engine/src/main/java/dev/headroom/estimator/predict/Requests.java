package dev.headroom.estimator.predict;

import dev.headroom.estimator.log.EventLog;
import it.unimi.dsi.fastutil.ints.IntArrayList;

/** What a run asked of the allocator, in order, to be asked again. */
final class Requests {
    /** Bytes of every storage. */
    private final long[] bytes;
    /** The stream that it is asked for on. */
    private final int[] streams;
    /** A storage for its allocation, its complement for its end. */
    private final int[] events;

    private Requests(long[] bytes, int[] streams, int[] events) {
        this.bytes = bytes;
        this.streams = streams;
        this.events = events;
    }

    static Requests of(EventLog log) {
        long[] bytes = new long[log.storages()];
        int[] streams = new int[log.storages()];
        IntArrayList events = new IntArrayList(log.size());
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                bytes[storage] = log.requested(storage);
                streams[storage] = log.stream(storage);
                if (bytes[storage] > 0) {
                    events.add(storage);
                }
            }

            @Override
            public void freed(int storage) {
                if (bytes[storage] > 0) {
                    events.add(~storage);
                }
            }
        });
        return new Requests(bytes, streams, events.toIntArray());
    }

    int storages() {
        return bytes.length;
    }

    int size() {
        return events.length;
    }

    boolean isAllocation(int event) {
        return events[event] >= 0;
    }

    /** The storage that an event allocates or frees. */
    int storage(int event) {
        return events[event] >= 0 ? events[event] : ~events[event];
    }

    long bytes(int storage) {
        return bytes[storage];
    }

    int stream(int storage) {
        return streams[storage];
    }
}
