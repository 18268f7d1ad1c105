package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.address.Placement;

/** Requests that are played in a device of some size, up to somewhere. */
final class RequestPlay {
    private static final int NONE = -1;

    private final Requests requests;
    private final SimulatedDeviceMemory memory;
    private final CachingAllocator allocator;
    /** The blocks of the storages so far. */
    private final int[] blocks;
    /** The event to play next. */
    private int next;

    /** At the beginning, in a device of its own. */
    RequestPlay(Requests requests, AllocatorSettings settings, Placement placement, long total) {
        this(requests, settings, new SimulatedDeviceMemory(total, 0, placement));
    }

    /** At the beginning, in a device of which nothing was asked yet. */
    RequestPlay(Requests requests, AllocatorSettings settings, SimulatedDeviceMemory memory) {
        this.requests = requests;
        this.memory = memory;
        this.allocator = new CachingAllocator(settings, memory);
        this.blocks = new int[requests.storages()];
    }

    /**
     * Whether devices play alike that grant and refuse the same requests. Otherwise their size decides something else,
     * too: how far a segment can expand, or what fraction of the memory may be reserved.
     */
    static boolean onlyRefusalsDiffer(AllocatorSettings settings) {
        return settings.caching()
                && !settings.expandableSegments()
                && !settings.rejectsEarly()
                && settings.allowedBytes(Long.MAX_VALUE) == Long.MAX_VALUE;
    }

    /** Goes to where another play is, in a device of some size. */
    void goTo(RequestPlay other, long total) {
        memory.copyFrom(other.memory);
        memory.resize(total);
        allocator.copyFrom(other.allocator);
        System.arraycopy(other.blocks, 0, blocks, 0, blocks.length);
        next = other.next;
    }

    /** Goes on in a device of another size. */
    void resize(long total) {
        memory.resize(total);
    }

    /**
     * Goes on as far as devices of all sizes between two play alike.
     *
     * @param before serves to go back by a request
     */
    void advance(long least, long most, RequestPlay before) {
        memory.resize(most);
        while (next < requests.size()) {
            long needed = neededNow();
            if (needed <= least) {
                step();
            } else if (needed <= most) {
                return;
            } else {
                // All refuse at first. Then cached memory is returned, after which they may differ.
                before.goTo(this, most);
                if (!tryStep() || mostUsed() > least) {
                    goTo(before, most);
                    return;
                }
            }
        }
    }

    /**
     * Plays to the end.
     *
     * @return false when a request failed
     */
    boolean finish() {
        while (next < requests.size()) {
            if (!tryStep()) {
                return false;
            }
        }
        return true;
    }

    /** The most that was handed out at once so far. */
    long mostAllocated() {
        return allocator.statistics().allocatedBytes().peak();
    }

    /** The most that the allocator held so far. */
    long mostReserved() {
        return allocator.statistics().reservedBytes().peak();
    }

    /** The least size, and the least too large, of devices that would have played alike so far. */
    long mostUsed() {
        return memory.mostUsed();
    }

    long leastRefused() {
        return memory.leastRefused();
    }

    /**
     * Goes on behind a request that failed, as a run does that can do without it.
     *
     * @return false for a run that cannot
     */
    boolean skips() {
        int storage = requests.storage(next);
        if (!requests.isScratch(storage)) {
            return false;
        }
        blocks[storage] = NONE;
        next++;
        return true;
    }

    /** What must fit in the device for the next request to be granted without returning cached memory. */
    private long neededNow() {
        if (!requests.isAllocation(next)) {
            return 0;
        }
        int storage = requests.storage(next);
        long segment = allocator.segmentFor(requests.bytes(storage), requests.stream(storage));
        return memory.used() + Bytes.roundUp(segment, SimulatedDeviceMemory.GRANULE);
    }

    private boolean tryStep() {
        try {
            step();
            return true;
        } catch (OutOfMemoryException e) {
            return false;
        }
    }

    private void step() {
        int storage = requests.storage(next);
        if (requests.isAllocation(next)) {
            blocks[storage] = allocator.allocate(requests.bytes(storage), requests.stream(storage));
        } else if (blocks[storage] != NONE) {
            allocator.free(blocks[storage]);
        }
        next++;
    }
}
