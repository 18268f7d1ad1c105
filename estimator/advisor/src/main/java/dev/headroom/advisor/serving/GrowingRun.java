package dev.headroom.advisor.serving;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.log.Blocks;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Simulation;
import java.util.List;
import java.util.Optional;

/**
 * The requests for memory of a run as it grows. Two or three sizes of it were played, and every request is continued
 * along the straight line or the parabola through what it was in each: a line suits a batch, a parabola a length, whose
 * square is in attention's scores. To play another size takes an allocator then and no operators. A kernel may choose
 * otherwise for another size, so this only tells which sizes are worth playing.
 */
final class GrowingRun {
    private final EventLog log;
    private final AllocatorSettings settings;
    private final long[] sizes;

    /** What a storage grows by for each step of size: from the first size to the second. */
    private final double[] slope;

    /** How fast that grows itself. */
    private final double[] bend;

    /** @param played sizes of a run that got through and did the same */
    private GrowingRun(long[] sizes, List<Simulation> played) {
        this.sizes = sizes;
        this.log = played.get(0).log();
        this.settings = played.get(0).settings();
        this.slope = new double[log.storages()];
        this.bend = new double[log.storages()];
        for (int storage = 0; storage < slope.length; storage++) {
            long first = log.requested(storage);
            long second = played.get(1).log().requested(storage);
            slope[storage] = (double) (second - first) / (sizes[1] - sizes[0]);
            if (sizes.length > 2) {
                long third = played.get(2).log().requested(storage);
                double next = (double) (third - second) / (sizes[2] - sizes[1]);
                bend[storage] = (next - slope[storage]) / (sizes[2] - sizes[0]);
            }
        }
    }

    /**
     * Sizes of a run as one that grows.
     *
     * @param sizes two different ones, or three
     * @param played a run of each
     * @return empty where they do different things
     */
    static Optional<GrowingRun> of(long[] sizes, List<Simulation> played) {
        boolean same = played.stream()
                .allMatch(run ->
                        run.oom() == null && isAlike(run.log(), played.get(0).log()));
        return same ? Optional.of(new GrowingRun(sizes, played)) : Optional.empty();
    }

    private static boolean isAlike(EventLog log, EventLog other) {
        boolean alike = log.size() == other.size() && log.storages() == other.storages();
        for (int event = 0; alike && event < log.size(); event++) {
            alike = log.storage(event) == other.storage(event) && log.isFree(event) == other.isFree(event);
        }
        return alike;
    }

    /** Whether a size fits. */
    boolean fits(long size, DeviceMemory memory) {
        CachingAllocator allocator = new CachingAllocator(settings, memory);
        try {
            log.replay(log.size(), new Blocks(log, allocator) {
                @Override
                protected long requested(int storage) {
                    return GrowingRun.this.requested(storage, size);
                }
            });
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }

    private long requested(int storage, long size) {
        double from = size - sizes[0];
        return log.requested(storage) + Math.round(from * (slope[storage] + bend[storage] * (size - sizes[1])));
    }
}
