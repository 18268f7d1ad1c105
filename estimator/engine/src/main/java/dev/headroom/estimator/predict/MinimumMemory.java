package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.EventLog;
import java.util.concurrent.CancellationException;

/**
 * The least memory in which a run gets through: its allocations are played again through allocators with ever less
 * room, because an allocator that is short of memory gives cached blocks back and tries again. The search halves an
 * interval, although PyTorch may, rarely, fail with more memory where it got through with less: the answer surely does,
 * and 2 MiB less surely does not, but a still smaller size might.
 */
final class MinimumMemory {
    private static final long GRANULE = SimulatedDeviceMemory.GRANULE;

    private final EventLog log;
    private final AllocatorSettings settings;

    MinimumMemory(EventLog log, AllocatorSettings settings) {
        this.log = log;
        this.settings = settings;
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
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("the run is not wanted any more");
            }
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
            return log.storages() == 0;
        }
        CachingAllocator allocator = new CachingAllocator(settings, new SimulatedDeviceMemory(bytes));
        int[] blocks = new int[log.storages()];
        try {
            log.replay(log.size(), new EventLog.Visitor() {
                @Override
                public void allocated(int storage) {
                    long size = log.requested(storage);
                    blocks[storage] = size == 0 ? -1 : allocator.allocate(size, 0);
                }

                @Override
                public void freed(int storage) {
                    if (blocks[storage] >= 0) {
                        allocator.free(blocks[storage]);
                    }
                }
            });
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }
}
