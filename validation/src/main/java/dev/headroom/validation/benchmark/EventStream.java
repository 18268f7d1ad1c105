package dev.headroom.validation.benchmark;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.trace.Trace;
import dev.headroom.allocator.trace.TraceFile;
import dev.headroom.allocator.trace.TraceSink;
import dev.headroom.fixtures.Fixtures;
import it.unimi.dsi.fastutil.longs.Long2IntLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A recorded training run as a loop of allocate and free without any other work, for benchmarks. */
final class EventStream {
    /** Bytes for an allocation, 0 for a free. */
    private final long[] bytes;

    private final int[] slot;
    private final int[] handles;
    private int next;

    private EventStream(LongArrayList bytes, LongArrayList slots, int slotCount) {
        this.bytes = bytes.toLongArray();
        this.slot = slots.longStream().mapToInt(s -> (int) s).toArray();
        this.handles = new int[slotCount];
    }

    /** A recorded run below the folder of traces, by its name. */
    static EventStream recorded(String name) throws IOException {
        return of(
                TraceFile.open(Fixtures.recordings().resolve("allocator/traces").resolve(name + ".json.gz")));
    }

    /** Reads a trace. Blocks alive at its end are freed in order of allocation, so that the stream can run again. */
    static EventStream of(Trace trace) throws IOException {
        LongArrayList bytes = new LongArrayList();
        LongArrayList slots = new LongArrayList();
        Long2IntLinkedOpenHashMap live = new Long2IntLinkedOpenHashMap();
        int[] count = {0};
        trace.play(new TraceSink() {
            @Override
            public void allocate(long id, long size, int stream) {
                live.put(id, count[0]);
                bytes.add(size);
                slots.add(count[0]++);
            }

            @Override
            public void allocateFailed(long size, int stream) {}

            @Override
            public void free(long id) {
                bytes.add(0);
                slots.add(live.remove(id));
            }

            @Override
            public void freeLater(long id) {
                free(id);
            }

            @Override
            public void freeCompleted(long id) {}

            @Override
            public void emptyCache() {}
        });
        live.values().forEach((int s) -> {
            bytes.add(0);
            slots.add(s);
        });
        return new EventStream(bytes, slots, count[0]);
    }

    /** How many operations there are. */
    int length() {
        return bytes.length;
    }

    /** Writes a line an operation, {@code BYTES SLOT}; 0 bytes free what the slot holds. */
    void write(Path file) throws IOException {
        Files.write(
                file,
                IntStream.range(0, bytes.length)
                        .mapToObj(i -> bytes[i] + " " + slot[i])
                        .collect(Collectors.toList()));
    }

    /** Does the next operations; after the last one it begins again. */
    void run(CachingAllocator allocator, int operations) {
        int i = next;
        for (int n = 0; n < operations; n++) {
            if (bytes[i] > 0) {
                handles[slot[i]] = allocator.allocate(bytes[i], 0);
            } else {
                allocator.free(handles[slot[i]]);
            }
            i = i + 1 < bytes.length ? i + 1 : 0;
        }
        next = i;
    }
}
