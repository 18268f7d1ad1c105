package dev.headroom.allocator.trace;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotSegment;
import dev.headroom.allocator.snapshot.TraceEvent;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The history of one device in a snapshot as a trace. Blocks that were allocated before the history begins are
 * allocated first, in the order of their addresses, because how they came to lie there is not known.
 */
public final class SnapshotTrace implements Trace {
    private record Earlier(long size, long stream, TraceEvent.PoolId pool) {}

    private final String name;
    private final List<TraceEvent> events;
    private final AllocatorSettings settings;
    private final Map<Long, Earlier> earlier = new TreeMap<>(Long::compareUnsigned);
    private final LongOpenHashSet unknown = new LongOpenHashSet();

    /**
     * @param snapshot with history
     * @param device number of the device
     * @param name for messages, usually the file
     * @throws IllegalArgumentException with one line when there is no history for the device
     */
    public SnapshotTrace(Snapshot snapshot, int device, String name) {
        this.name = name;
        if (device < 0
                || device >= snapshot.deviceTraces().size()
                || snapshot.deviceTraces().get(device).isEmpty()) {
            throw new IllegalArgumentException(name + ": no history for device " + device
                    + "; call torch.cuda.memory._record_memory_history() before the run");
        }
        this.events = snapshot.deviceTraces().get(device);
        this.settings = AllocatorSettings.parse(snapshot.allocConf());
        findEarlier(snapshot, device);
    }

    /** The first device with history, or 0. */
    public static int firstDevice(Snapshot snapshot) {
        for (int device = 0; device < snapshot.deviceTraces().size(); device++) {
            if (!snapshot.deviceTraces().get(device).isEmpty()) {
                return device;
            }
        }
        return 0;
    }

    /** Blocks that were allocated before the history begins. */
    public int earlierBlocks() {
        return earlier.size();
    }

    @Override
    public AllocatorSettings settings() {
        return settings;
    }

    @Override
    public long totalBytes() {
        return 0;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void play(TraceSink sink) {
        Long2IntOpenHashMap streams = new Long2IntOpenHashMap();
        streams.put(0, 0);
        Object2IntOpenHashMap<TraceEvent.PoolId> pools = new Object2IntOpenHashMap<>();
        pools.put(TraceEvent.PoolId.DEFAULT, CachingAllocator.DEFAULT_POOL);
        TraceInterpreter interpreter = new TraceInterpreter(sink);
        int current = CachingAllocator.DEFAULT_POOL;
        for (Map.Entry<Long, Earlier> block : earlier.entrySet()) {
            Earlier e = block.getValue();
            current = divert(sink, pools, e.pool(), current);
            sink.allocate(block.getKey(), e.size(), dense(streams, e.stream()));
        }
        for (int i = 0; i < events.size(); i++) {
            TraceEvent event = events.get(i);
            String action = event.action();
            if (unknown.contains(i)) {
                continue;
            }
            if (action.equals("alloc") || action.equals("oom")) {
                current = divert(sink, pools, event.pool(), current);
            }
            try {
                interpreter.event(action, event.address(), event.size(), dense(streams, event.stream()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(name + ": " + e.getMessage() + " in trace entry " + i);
            }
        }
        interpreter.end();
    }

    private void findEarlier(Snapshot snapshot, int device) {
        LongOpenHashSet live = new LongOpenHashSet();
        LongOpenHashSet awaited = new LongOpenHashSet();
        for (int i = 0; i < events.size(); i++) {
            TraceEvent event = events.get(i);
            long address = event.address();
            switch (event.action()) {
                case "alloc" -> live.add(address);
                case "free_requested" -> {
                    if (!live.remove(address)) {
                        earlier.putIfAbsent(address, new Earlier(event.size(), event.stream(), event.pool()));
                    }
                    awaited.add(address);
                }
                case "free_completed" -> {
                    // Given back before the history began, so that it concerns no block of the trace.
                    if (!awaited.remove(address)) {
                        unknown.add(i);
                    }
                }
                default -> {}
            }
        }
        for (SnapshotSegment segment : snapshot.segments()) {
            if (segment.device() == device) {
                for (SnapshotSegment.Block block : segment.blocks()) {
                    if (block.state() == BlockState.ACTIVE_ALLOCATED && !live.contains(block.address())) {
                        earlier.putIfAbsent(
                                block.address(), new Earlier(block.requestedSize(), segment.stream(), segment.pool()));
                    }
                }
            }
        }
    }

    private static int dense(Long2IntOpenHashMap streams, long stream) {
        return streams.computeIfAbsent(stream, s -> streams.size());
    }

    private static int divert(
            TraceSink sink, Object2IntOpenHashMap<TraceEvent.PoolId> pools, TraceEvent.PoolId wanted, int current) {
        int pool = pools.computeIfAbsent(wanted, p -> pools.size());
        if (pool != current) {
            sink.pool(pool);
        }
        return pool;
    }
}
