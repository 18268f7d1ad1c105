package dev.headroom.allocator;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectRBTreeMap;
import it.unimi.dsi.fastutil.ints.IntArrayFIFOQueue;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntIterator;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntRBTreeSet;
import it.unimi.dsi.fastutil.longs.LongArrayFIFOQueue;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Uses of blocks on streams other than their own, and the events that tell when those uses are over (c10's
 * {@code stream_uses}, {@code cuda_events} and {@code deferred_blocks}). Unless a stream is held, its events are over
 * when they are next looked at; where the device lags, only as far as the host has waited.
 */
final class StreamEvents {
    private final BlockTable table;
    private final Consumer<Block> whenOver;
    private final Int2ObjectOpenHashMap<IntRBTreeSet> uses = new Int2ObjectOpenHashMap<>();
    /** Uses recorded during a capture: the graph orders them, so that no event is needed for them. */
    private final Int2ObjectOpenHashMap<IntOpenHashSet> capturedUses = new Int2ObjectOpenHashMap<>();

    /** Blocks that await an event, by stream. */
    private final Int2ObjectRBTreeMap<Queue> awaited = new Int2ObjectRBTreeMap<>();
    /** Blocks that were given back during a capture. */
    private final IntArrayList deferred = new IntArrayList();

    private final IntOpenHashSet held = new IntOpenHashSet();
    /** Whether a block awaits an event or the end of a capture. */
    private boolean anything;

    private boolean lags;
    private long requests;

    /** How many events were recorded so far, by the allocator and by others. */
    private long recorded;

    /** Events up to this one are over, where the device lags. */
    private long reached;

    StreamEvents(BlockTable table, Consumer<Block> whenOver) {
        this.table = table;
        this.whenOver = whenOver;
    }

    /** Whether nothing is awaited; asked at every allocation. */
    boolean idle() {
        return !anything;
    }

    /** How often a use on another stream was recorded so far, or was to take its time. */
    long requests() {
        return requests;
    }

    /** Whether no other stream's use of a block is known. */
    boolean isEmpty() {
        return uses.isEmpty() && awaited.isEmpty() && deferred.isEmpty();
    }

    /** Notes that a stream uses a block. */
    void record(Block block, int stream, boolean capturing) {
        requests++;
        uses.computeIfAbsent(block.handle, b -> new IntRBTreeSet()).add(stream);
        block.setUsedElsewhere(true);
        if (capturing) {
            capturedUses
                    .computeIfAbsent(block.handle, b -> new IntOpenHashSet())
                    .add(stream);
        }
    }

    /** Keeps a block until the capture is over. */
    void defer(Block block) {
        deferred.add(block.handle);
        anything = true;
    }

    /** Awaits, for a block that was given back, one event of every stream that used it. */
    void insert(Block block) {
        IntRBTreeSet streams = uses.remove(block.handle);
        block.setUsedElsewhere(false);
        if (streams == null) {
            return;
        }
        for (IntIterator it = streams.iterator(); it.hasNext(); ) {
            block.addEvents(1);
            anything = true;
            awaited.computeIfAbsent(it.nextInt(), s -> new Queue()).add(block.handle, ++recorded);
        }
    }

    /** Awaits events for the blocks that were kept during a capture. */
    void insertDeferred() {
        if (deferred.isEmpty()) {
            return;
        }
        int[] handles = deferred.toIntArray();
        deferred.clear();
        for (int handle : handles) {
            Block block = table.get(handle);
            IntOpenHashSet captured = capturedUses.remove(handle);
            IntRBTreeSet streams = uses.get(handle);
            if (captured != null && streams != null) {
                streams.removeAll(captured);
            }
            insert(block);
            if (block.events() == 0) {
                whenOver.accept(block);
            }
        }
    }

    /** Ends the events of all streams that are not held; blocks that await no other become free. */
    void process() {
        insertDeferred();
        for (int stream : awaited.keySet().toIntArray()) {
            if (!held.contains(stream)) {
                end(stream, (block, event) -> !lags || event <= reached);
            }
        }
        anything = !awaited.isEmpty() || !deferred.isEmpty();
    }

    /** Waits for all events. */
    void synchronize() {
        synchronize(block -> true);
    }

    /** Waits for the events of one owner's blocks. */
    void synchronize(PoolOwner owner) {
        synchronize(handle -> table.get(handle).pool().owner == owner);
    }

    private void synchronize(IntPredicate awaitedBlock) {
        insertDeferred();
        for (int stream : awaited.keySet().toIntArray()) {
            end(stream, (block, event) -> awaitedBlock.test(block));
        }
        anything = !awaited.isEmpty() || !deferred.isEmpty();
    }

    /** Keeps the events of a stream from ending. */
    void hold(int stream) {
        requests++;
        held.add(stream);
    }

    void release(int stream) {
        held.remove(stream);
    }

    /** From now on events are over only as far as {@link #reach} says. */
    void lag() {
        requests++;
        lags = true;
    }

    /** Records an event of somebody else. */
    long mark() {
        return ++recorded;
    }

    /** Whether an event is over. */
    boolean isOver(long event) {
        return !lags || event <= reached;
    }

    /** Ends all events up to one. */
    void reach(long event) {
        reached = Math.max(reached, event);
    }

    /** Ends some events of a stream; the others stay in their order. */
    private void end(int stream, Which which) {
        Queue events = awaited.remove(stream);
        Queue rest = new Queue();
        while (!events.blocks.isEmpty()) {
            int handle = events.blocks.dequeueInt();
            long event = events.numbers.dequeueLong();
            if (!which.isOver(handle, event)) {
                rest.add(handle, event);
                continue;
            }
            Block block = table.get(handle);
            block.addEvents(-1);
            if (block.events() == 0) {
                whenOver.accept(block);
            }
        }
        if (!rest.blocks.isEmpty()) {
            awaited.put(stream, rest);
        }
    }

    @FunctionalInterface
    private interface Which {
        boolean isOver(int block, long event);
    }

    /** The blocks that await events of a stream, and the numbers of these events. */
    private static final class Queue {
        private final IntArrayFIFOQueue blocks = new IntArrayFIFOQueue();
        private final LongArrayFIFOQueue numbers = new LongArrayFIFOQueue();

        private void add(int block, long event) {
            blocks.enqueue(block);
            numbers.enqueue(event);
        }
    }
}
