package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.address.Placement;
import dev.headroom.model.error.Unwanted;

/**
 * The least memory in which a run gets through: its allocations are played again through allocators with ever less
 * room, because an allocator that is short of memory gives cached blocks back and tries again. The search halves an
 * interval, although PyTorch may, rarely, fail with more memory where it got through with less: the answer surely does,
 * and 2 MiB less surely does not, but a still smaller size might.
 *
 * <p>Two things spare most of the playing, as long as the size decides nothing but which requests the driver refuses. A
 * play tells of all sizes that would have refused the same. And what all sizes still in question have in common, at
 * least everything before the first refusal, is played once.
 */
final class MinimumMemory {
    private static final long GRANULE = SimulatedDeviceMemory.GRANULE;

    private final AllocatorSettings settings;
    private final Placement placement;
    private final Requests requests;
    private final boolean sharing;
    /** What all sizes in question have in common. */
    private final RequestPlay common;
    /** The play of the size that is looked at. */
    private final RequestPlay play;

    /** From this size on the run is known to get through, up to the least that the search has found to do. */
    private long suffices;
    /** Below this size the run is known to fail, down to the most that the search has found to be too little. */
    private long lacking;

    MinimumMemory(Requests requests, AllocatorSettings settings, Placement placement) {
        this.settings = settings;
        this.placement = placement;
        this.requests = requests;
        this.sharing = RequestPlay.onlyRefusalsDiffer(settings);
        this.common = new RequestPlay(requests, settings, placement, GRANULE);
        this.play = new RequestPlay(requests, settings, placement, GRANULE);
    }

    /**
     * Bytes that the allocator must be able to reserve, a multiple of 2 MiB.
     *
     * @param allocated the peak of allocated bytes: less can never do
     * @param reserved the peak of reserved bytes of a run with room to spare: that much surely does
     */
    long bytes(long allocated, long reserved) {
        long low = Bytes.ceilDiv(allocated, GRANULE);
        long high = Math.max(low, Bytes.ceilDiv(reserved, GRANULE));
        lacking = low * GRANULE;
        suffices = high * GRANULE;
        while (low < high) {
            Unwanted.check();
            long middle = (low + high) / 2;
            long size = middle * GRANULE;
            if (lacking <= size && size < suffices) {
                play(size);
            }
            if (size >= suffices) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low * GRANULE;
    }

    /** Plays in a device of a size, from where all sizes in question part, and notes what it tells of others. */
    private void play(long size) {
        if (!sharing) {
            if (new RequestPlay(requests, settings, placement, size).finish()) {
                suffices = size;
            } else {
                lacking = size + GRANULE;
            }
            return;
        }
        RequestPlay last = suffices - lacking <= GRANULE ? common : play;
        if (last == play) {
            common.advance(lacking, suffices - GRANULE, play);
            play.goTo(common, size);
        } else {
            common.resize(size); // no other size is in question
        }
        if (last.finish()) {
            suffices = last.mostUsed();
        } else {
            lacking = last.leastRefused();
        }
    }
}
