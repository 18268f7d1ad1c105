package dev.headroom.estimator.runtime;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.log.Attributions;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.log.HighestAllocated;
import dev.headroom.estimator.repeat.Renaming;
import dev.headroom.model.error.Unwanted;
import dev.headroom.model.graph.DType;
import java.util.concurrent.CancellationException;

/**
 * The memory of the device: every request goes to the caching allocator, and every request, free and change of category
 * into the event log. Knows how far the log was when allocated memory was highest and when a request failed.
 */
public final class LoggedMemory {
    private final Devices devices;
    private final int device;
    private final CachingAllocator allocator;
    private final Attributions attributions;
    private final Streams streams;
    private final EventLog log = new EventLog();
    private int requester;
    private final HighestAllocated highest = new HighestAllocated();
    private int eventsAtFailure = -1;

    LoggedMemory(Devices devices, int device, CachingAllocator allocator, Attributions attributions, Streams streams) {
        this.devices = devices;
        this.device = device;
        this.streams = streams;
        this.allocator = allocator;
        this.attributions = attributions;
    }

    /** Its number. */
    public int device() {
        return device;
    }

    /** Who hands the memory out. */
    public CachingAllocator allocator() {
        return allocator;
    }

    /** All that became of it. */
    public EventLog log() {
        return log;
    }

    /**
     * A fresh storage; nothing is asked of the allocator for 0 bytes.
     *
     * @throws CancellationException when the thread is interrupted: so whoever plays a run can end it
     */
    Storage allocate(long bytes, Category category, DType dtype, long[] sizes) {
        Unwanted.check();
        if (devices.computesOnHost()) {
            return onHost(dtype, sizes);
        }
        int stream = streams.current();
        int block = bytes > 0 ? request(bytes, stream) : -1;
        int id = add(bytes, block, category, dtype, sizes, stream);
        return new Storage(this, id, bytes, block, stream, category, false);
    }

    /** Notes a storage that was made just now. */
    private int add(long bytes, int block, Category category, DType dtype, long[] sizes, int stream) {
        long rounded = block < 0 ? 0 : allocator.size(block);
        long reserved = reserved();
        int id = log.add(bytes, rounded, attributions.running(), category, dtype, sizes, stream, reserved);
        highest.allocated(allocator.statistics().allocatedBytes().current(), log.size(), reserved);
        return id;
    }

    /**
     * Does again what was done between two events of the log.
     *
     * @param names of what was there when the first of them happened; those of what is made are added
     */
    public void again(int from, int to, Renaming names) {
        Unwanted.check();
        for (int event = from; event < to; event++) {
            int storage = log.storage(event);
            Category category = log.category(event);
            attributions.run(log.running(event));
            if (category == null) {
                free(names.now(storage), names.block(storage));
            } else if (names.knows(storage)) {
                log.category(names.now(storage), category, attributions.running(), reserved());
            } else {
                long bytes = log.requested(storage);
                int stream = log.stream(storage);
                int block = bytes > 0 ? request(bytes, stream) : -1;
                int id = add(bytes, block, category, log.dtype(storage), log.sizes(storage), stream);
                names.put(storage, id, block);
                if (log.isSpared(storage)) {
                    log.spare(id);
                }
            }
        }
    }

    /** A storage without memory, which {@link #resize} gives it. */
    Storage unbacked(Category category) {
        return new Storage(this, -1, 0, -1, streams.current(), category, false);
    }

    /** Gives a storage other memory, or none (c10/core/StorageImpl.h; aten/src/ATen/native/cuda/Resize.cpp). */
    void resize(Storage s, long bytes, DType dtype, long[] sizes) {
        if (s.bytes == bytes) {
            return;
        }
        Storage fresh = bytes == 0 ? null : allocate(bytes, s.category(), dtype, sizes);
        free(s);
        s.id = fresh == null ? -1 : fresh.id;
        s.block = fresh == null ? -1 : fresh.block;
        s.stream = fresh == null ? s.stream : fresh.stream;
        s.bytes = bytes;
    }

    private int request(long bytes, int stream) {
        requester = attributions.running();
        try {
            return allocator.allocate(bytes, stream);
        } catch (OutOfMemoryException e) {
            devices.noteFailure(this);
            eventsAtFailure = eventsAtFailure < 0 ? log.size() : eventsAtFailure;
            throw e;
        }
    }

    /** A storage in host memory: it takes none of the device's. */
    Storage onHost(DType dtype, long[] sizes) {
        int id = log.add(
                0, 0, attributions.running(), Category.TEMPORARIES, dtype, sizes, streams.current(), reserved());
        return new Storage(this, id, 0, -1, streams.current(), Category.TEMPORARIES, true);
    }

    /** A storage lost its last reference. */
    void free(Storage s) {
        if (s.id < 0) {
            return;
        }
        free(s.id, s.block);
    }

    private void free(int id, int block) {
        if (block >= 0) {
            allocator.free(block);
        }
        log.free(id, attributions.running(), reserved());
    }

    /** Notes that a storage that is alive counts as something else than before. */
    void changed(Storage s, Category before) {
        Category after = s.category();
        if (after != before && s.useCount() > 0 && s.id >= 0) {
            log.category(s.id, after, attributions.running(), reserved());
        }
    }

    private long reserved() {
        return allocator.statistics().reservedBytes().current();
    }

    /** Number of the attribution of the last request for memory, also of one that failed. */
    public int requester() {
        return requester;
    }

    /**
     * Events until a request for memory failed, or -1. What the log has beyond it is the release of what was alive in
     * the functions that the failure ended.
     */
    public int eventsAtFailure() {
        return eventsAtFailure;
    }

    /** When allocated memory was first at its highest. */
    public HighestAllocated highest() {
        return highest;
    }
}
