package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.model.error.Unwanted;
import it.unimi.dsi.fastutil.ints.IntArrayList;

/**
 * The least memory in which a run gets through: its allocations are played again through allocators with ever less
 * room, because an allocator that is short of memory gives cached blocks back and tries again. The search halves an
 * interval, although PyTorch may, rarely, fail with more memory where it got through with less: the answer surely does,
 * and 2 MiB less surely does not, but a still smaller size might.
 */
final class MinimumMemory {
    private static final long GRANULE = SimulatedDeviceMemory.GRANULE;

    private final AllocatorSettings settings;
    /** Bytes of every storage. */
    private final long[] requested;
    /** What was asked of the allocator, in order: a storage for its allocation, its complement for its end. */
    private final int[] program;
    /** The blocks of the storages in the allocator that is being tried. */
    private final int[] blocks;

    MinimumMemory(EventLog log, AllocatorSettings settings) {
        this.settings = settings;
        this.requested = new long[log.storages()];
        this.blocks = new int[log.storages()];
        this.program = program(log, requested);
    }

    private static int[] program(EventLog log, long[] requested) {
        IntArrayList events = new IntArrayList(log.size());
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                requested[storage] = log.requested(storage);
                if (requested[storage] > 0) {
                    events.add(storage);
                }
            }

            @Override
            public void freed(int storage) {
                if (requested[storage] > 0) {
                    events.add(~storage);
                }
            }
        });
        return events.toIntArray();
    }

    /**
     * Bytes that the allocator must be able to reserve, a multiple of 2 MiB.
     *
     * @param allocated the peak of allocated bytes: less can never do
     * @param reserved the peak of reserved bytes of a run with room to spare: that much surely does
     */
    long bytes(long allocated, long reserved) {
        long low = (allocated + GRANULE - 1) / GRANULE;
        long high = Math.max(low, (reserved + GRANULE - 1) / GRANULE);
        while (low < high) {
            Unwanted.check();
            long middle = (low + high) / 2;
            if (fits(middle * GRANULE)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low * GRANULE;
    }

    private boolean fits(long bytes) {
        if (bytes == 0) {
            return requested.length == 0;
        }
        CachingAllocator allocator = new CachingAllocator(settings, new SimulatedDeviceMemory(bytes));
        try {
            for (int event : program) {
                if (event >= 0) {
                    blocks[event] = allocator.allocate(requested[event], 0);
                } else {
                    allocator.free(blocks[~event]);
                }
            }
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }
}
