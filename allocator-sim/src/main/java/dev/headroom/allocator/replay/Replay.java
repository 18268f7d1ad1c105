package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.trace.Trace;
import dev.headroom.allocator.trace.TraceSink;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Plays a trace through an allocator: what would this run have reserved with these settings? Only live blocks are kept
 * on the heap, so that traces may be of any length.
 */
public final class Replay implements TraceSink {
    private static final int NONE = -1;
    private static final long UNBOUNDED = 4 * Bytes.TIB;
    /** Streams that stand for those which awaited blocks are used on; they are numbered downwards from here. */
    private static final int WAITING = CachingAllocator.MAX_STREAMS - 1;

    private final CachingAllocator allocator;
    private final Long2IntOpenHashMap live = new Long2IntOpenHashMap();
    /** The stream that stands for the awaited one, by block. */
    private final Long2IntOpenHashMap awaited = new Long2IntOpenHashMap();
    /** Blocks whose request failed here, though it succeeded when recorded. */
    private final LongOpenHashSet failed = new LongOpenHashSet();

    private final ReplayObserver observer;
    private int waiting;
    private int divertedTo = CachingAllocator.DEFAULT_POOL;
    private long events;
    private long lastAllocated = NONE;
    private ReplayResult.@Nullable Failure firstFailure;
    private String phase = "";

    Replay(CachingAllocator allocator, ReplayObserver observer) {
        this.allocator = allocator;
        this.observer = observer;
        live.defaultReturnValue(NONE);
        awaited.defaultReturnValue(NONE);
    }

    /**
     * Plays a whole trace.
     *
     * @param trace what to play
     * @param settings in place of the recorded ones, limit included
     * @param totalBytes bytes of the device; 0 for the recorded one, or for no bound when it is not known
     * @throws IOException when the trace cannot be read
     * @throws IllegalArgumentException with one line when the trace is damaged
     */
    public static ReplayResult run(Trace trace, AllocatorSettings settings, long totalBytes) throws IOException {
        return run(trace, settings, totalBytes, new ReplayObserver() {});
    }

    /**
     * Plays a whole trace and shows the allocator after every event.
     *
     * @param observer may look at {@link #allocator} and the rest
     */
    public static ReplayResult run(Trace trace, AllocatorSettings settings, long totalBytes, ReplayObserver observer)
            throws IOException {
        return run(trace, settings, device(trace, totalBytes), observer);
    }

    /** As {@link #run(Trace, AllocatorSettings, long, ReplayObserver)}, on any device memory. */
    public static ReplayResult run(
            Trace trace, AllocatorSettings settings, DeviceMemory memory, ReplayObserver observer) throws IOException {
        Replay replay = new Replay(new CachingAllocator(settings, memory), observer);
        play(trace, replay);
        return replay.result();
    }

    /**
     * Fresh memory of a device.
     *
     * @param totalBytes its size; 0 for the one that the trace was recorded on, or for no bound when it is not known
     */
    public static DeviceMemory device(Trace trace, long totalBytes) {
        long recorded = Math.min(trace.totalBytes(), UNBOUNDED);
        return new SimulatedDeviceMemory(totalBytes > 0 ? totalBytes : recorded > 0 ? recorded : UNBOUNDED);
    }

    /** Plays a trace and names it where it is damaged. */
    static void play(Trace trace, TraceSink sink) throws IOException {
        try {
            trace.play(sink);
        } catch (Damaged e) {
            throw new IllegalArgumentException(trace.name() + ": " + e.getMessage());
        }
    }

    /** The allocator in its present state. */
    public CachingAllocator allocator() {
        return allocator;
    }

    /** Events so far. */
    public long events() {
        return events;
    }

    /** Blocks in use: id in the trace to handle in the allocator; a view. */
    public Long2IntOpenHashMap live() {
        return live;
    }

    /** Id of the newest block as long as nothing but {@code empty_cache} came after it, or -1. */
    public long lastAllocated() {
        return lastAllocated;
    }

    @Override
    public void allocate(long id, long bytes, int stream) {
        if (live.containsKey(id)) {
            throw new Damaged("event " + events + " allocates block " + id + ", which is in use");
        }
        int block = tryAllocate(bytes, stream);
        if (block == NONE) {
            failed.add(id);
            lastAllocated = NONE;
        } else {
            live.put(id, block);
            lastAllocated = id;
        }
        done();
    }

    @Override
    public void allocateFailed(long bytes, int stream) {
        lastAllocated = NONE;
        int block = tryAllocate(bytes, stream);
        if (block != NONE) {
            allocator.free(block);
        }
        done();
    }

    @Override
    public void free(long id) {
        int block = take(id);
        if (block != NONE) {
            allocator.free(block);
        }
        done();
    }

    @Override
    public void freeLater(long id) {
        int block = take(id);
        if (block != NONE) {
            if (waiting >= WAITING / 2) {
                waiting = 0;
            }
            int stream = WAITING - waiting++;
            allocator.streamBusy(stream);
            allocator.recordStream(block, stream);
            allocator.free(block);
            awaited.put(id, stream);
        }
        done();
    }

    @Override
    public void freeCompleted(long id) {
        int stream = awaited.remove(id);
        if (stream != NONE) {
            allocator.streamIdle(stream);
        }
        done();
    }

    @Override
    public void emptyCache() {
        allocator.emptyCache();
        done();
    }

    @Override
    public void mark(String name, int step, int micro) {
        phase = step < 0 ? name : name + " of step " + step;
        observer.mark(this, name, step, micro);
    }

    @Override
    public void pool(int pool) {
        if (divertedTo != CachingAllocator.DEFAULT_POOL) {
            allocator.endAllocateToPool(divertedTo);
        }
        if (pool != CachingAllocator.DEFAULT_POOL) {
            allocator.beginAllocateToPool(pool, stream -> true);
        }
        divertedTo = pool;
    }

    /** Peaks and counters up to now. */
    public ReplayResult result() {
        return new ReplayResult(
                allocator.settings(),
                events,
                allocator.statistics().allocatedBytes().peak(),
                allocator.statistics().reservedBytes().peak(),
                ReplayResult.ideal(allocator.statistics().activeBytes().peak()),
                allocator.statistics().numAllocRetries(),
                allocator.statistics().numOoms(),
                firstFailure,
                allocator.statistics().asMap());
    }

    private int tryAllocate(long bytes, int stream) {
        try {
            return allocator.allocate(bytes, stream);
        } catch (OutOfMemoryException e) {
            if (firstFailure == null) {
                firstFailure = new ReplayResult.Failure(
                        events, phase, e.requested(), e.allocated(), e.reserved(), e.getMessage());
            }
            return NONE;
        } catch (IllegalArgumentException e) {
            throw new Damaged("event " + events + ": " + e.getMessage());
        }
    }

    private int take(long id) {
        lastAllocated = NONE;
        int block = live.remove(id);
        if (block == NONE && !failed.remove(id)) {
            throw new Damaged("event " + events + " frees block " + id + ", which is not in use");
        }
        return block;
    }

    private void done() {
        events++;
        observer.afterEvent(this);
    }

    private static final class Damaged extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Damaged(String message) {
            super(message);
        }
    }
}
