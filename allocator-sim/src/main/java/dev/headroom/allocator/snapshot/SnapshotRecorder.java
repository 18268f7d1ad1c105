package dev.headroom.allocator.snapshot;

import dev.headroom.allocator.AllocatorListener;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.Segment;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records what an allocator does and makes snapshots of it, as {@code torch.cuda.memory._record_memory_history} does.
 * The time of an event is its number, because a simulation has no clock.
 */
public final class SnapshotRecorder implements AllocatorListener {
    private final CachingAllocator allocator;
    private final int maxEntries;
    private final ArrayDeque<TraceEvent> events = new ArrayDeque<>();
    private final Long2ObjectOpenHashMap<List<Frame>> blocks = new Long2ObjectOpenHashMap<>();
    private final Long2ObjectOpenHashMap<List<Frame>> segments = new Long2ObjectOpenHashMap<>();
    private final Supplier<List<Frame>> place;
    private long count;

    /**
     * Begins to record.
     *
     * @param allocator whose listener this becomes
     * @param maxEntries entries to keep; older ones are dropped
     * @param place asked at every event for the frames of what runs, innermost first; equal frames are written once
     * @throws IllegalArgumentException when it is negative
     */
    public SnapshotRecorder(CachingAllocator allocator, int maxEntries, Supplier<List<Frame>> place) {
        if (maxEntries < 0) {
            throw new IllegalArgumentException("history of " + maxEntries + " entries: give zero or more");
        }
        this.allocator = allocator;
        this.maxEntries = maxEntries;
        this.place = place;
        allocator.setListener(this);
    }

    @Override
    public void event(Action action, long address, long bytes, int stream, int pool) {
        List<Frame> frames = place.get();
        List<Frame> where = frames;
        switch (action) {
            case ALLOC -> blocks.put(address, frames);
            case FREE_COMPLETED -> {
                List<Frame> allocatedAt = blocks.remove(address);
                where = allocatedAt == null ? frames : allocatedAt;
            }
            case SEGMENT_ALLOC, SEGMENT_MAP -> segments.put(address, frames);
            case SEGMENT_FREE, SEGMENT_UNMAP -> segments.remove(address);
            default -> {}
        }
        if (maxEntries > 0) {
            if (events.size() == maxEntries) {
                events.removeFirst();
            }
            events.addLast(new TraceEvent(action.label(), address, bytes, stream, count, id(pool), "", where));
        }
        count++;
    }

    /** The state now and the history up to now. */
    public Snapshot snapshot() {
        List<SnapshotSegment> copies = new ArrayList<>();
        for (Segment segment : allocator.segments()) {
            List<SnapshotSegment.Block> parts = new ArrayList<>();
            for (Segment.Block block : segment.blocks()) {
                parts.add(new SnapshotSegment.Block(
                        block.address(),
                        block.size(),
                        block.requested(),
                        block.state(),
                        block.state() == BlockState.INACTIVE
                                ? List.of()
                                : blocks.getOrDefault(block.address(), List.of())));
            }
            copies.add(new SnapshotSegment(
                    0,
                    segment.address(),
                    segment.size(),
                    segment.stream(),
                    segment.small(),
                    id(segment.pool()),
                    segment.expandable(),
                    segments.getOrDefault(segment.address(), List.of()),
                    parts));
        }
        return new Snapshot(
                copies, List.of(new ArrayList<>(events)), allocator.settings().text());
    }

    private static TraceEvent.PoolId id(int pool) {
        return pool == CachingAllocator.DEFAULT_POOL ? TraceEvent.PoolId.DEFAULT : new TraceEvent.PoolId(0, pool);
    }
}
