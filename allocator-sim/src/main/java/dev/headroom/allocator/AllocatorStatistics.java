package dev.headroom.allocator;

import dev.headroom.allocator.PoolSums.Counter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The counters of an allocator under the names of {@code torch.cuda.memory_stats} (c10's {@code DeviceStats}). They are
 * live: a counter that was asked for once shows later changes, too. Sums are bytes.
 */
public final class AllocatorStatistics {
    final PoolSums small = new PoolSums();
    final PoolSums large = new PoolSums();
    private final StatArray allocation = new StatArray(Counter.ALLOCATION, small, large);
    private final StatArray active = new StatArray(Counter.ACTIVE, small, large);
    private final StatArray allocatedBytes = new StatArray(Counter.ALLOCATED_BYTES, small, large);
    private final StatArray activeBytes = new StatArray(Counter.ACTIVE_BYTES, small, large);
    private final StatArray requestedBytes = new StatArray(Counter.REQUESTED_BYTES, small, large);
    private final StatArray inactiveSplit = new StatArray(Counter.INACTIVE_SPLIT, small, large);
    private final StatArray inactiveSplitBytes = new StatArray(Counter.INACTIVE_SPLIT_BYTES, small, large);
    final StatArray segment = new StatArray(Counter.SEGMENT, small, large);
    final StatArray reservedBytes = new StatArray(Counter.RESERVED_BYTES, small, large);
    final StatArray oversizeAllocations = new StatArray(Counter.OVERSIZE_ALLOCATIONS, small, large);
    final StatArray oversizeSegments = new StatArray(Counter.OVERSIZE_SEGMENTS, small, large);
    /** The most that was active at once since memory was last returned to the driver. */
    private long mostActive;
    // Counters rise many times in a row. What they rose to is noted when the next fall begins.
    private boolean rose;
    private boolean splitRose;
    private boolean splitBytesRose;

    final TreeMap<Integer, StatArray> reservedByPool = new TreeMap<>();
    final long maxSplitSize;
    long allocRetries;
    long ooms;
    long syncAllStreams;
    long deviceAllocs;
    long deviceFrees;
    long oomRejections;

    AllocatorStatistics(long maxSplitSize) {
        this.maxSplitSize = maxSplitSize;
    }

    /** Takes over all values but those of private pools. */
    void copyFrom(AllocatorStatistics other) {
        small.copyFrom(other.small);
        large.copyFrom(other.large);
        List<StatArray> theirs = other.all();
        List<StatArray> mine = all();
        for (int i = 0; i < mine.size(); i++) {
            mine.get(i).copyFrom(theirs.get(i));
        }
        mostActive = other.mostActive;
        rose = other.rose;
        splitRose = other.splitRose;
        splitBytesRose = other.splitBytesRose;
        allocRetries = other.allocRetries;
        ooms = other.ooms;
        syncAllStreams = other.syncAllStreams;
        deviceAllocs = other.deviceAllocs;
        deviceFrees = other.deviceFrees;
        oomRejections = other.oomRejections;
    }

    /** A block was handed out. */
    void handedOut(PoolSums pool, long size, long requested) {
        pool.handedOut++;
        pool.handedOutBytes += size;
        pool.handedOutRequested += requested;
        rose = true;
    }

    /** A block was given back, though other streams may still use it. */
    void givenBack(PoolSums pool, long size) {
        if (rose) {
            notePeaks();
        }
        pool.givenBack++;
        pool.givenBackBytes += size;
    }

    /** No stream uses a block any more. */
    void becameInactive(PoolSums pool, long size, long requested) {
        if (rose) {
            notePeaks();
        }
        pool.inactive++;
        pool.inactiveBytes += size;
        pool.inactiveRequested += requested;
    }

    private void notePeaks() {
        PoolSums s = small;
        PoolSums l = large;
        allocation.notePeaks(s.handedOut - s.givenBack, l.handedOut - l.givenBack);
        allocatedBytes.notePeaks(s.handedOutBytes - s.givenBackBytes, l.handedOutBytes - l.givenBackBytes);
        active.notePeaks(s.handedOut - s.inactive, l.handedOut - l.inactive);
        long activeInSmall = s.handedOutBytes - s.inactiveBytes;
        long activeInLarge = l.handedOutBytes - l.inactiveBytes;
        activeBytes.notePeaks(activeInSmall, activeInLarge);
        mostActive = Math.max(mostActive, activeInSmall + activeInLarge);
        requestedBytes.notePeaks(
                s.handedOutRequested - s.inactiveRequested, l.handedOutRequested - l.inactiveRequested);
        rose = false;
    }

    /** There are more or, where numbers are negative, fewer free blocks that are parts of segments. */
    void splitChanged(PoolSums pool, int blocks, long bytes) {
        if (blocks > 0) {
            pool.split += blocks;
            splitRose = true;
        } else if (blocks < 0) {
            splitTaken(pool, -blocks);
        }
        if (bytes > 0) {
            pool.splitBytes += bytes;
            splitBytesRose = true;
        } else if (bytes < 0) {
            splitBytesTaken(pool, -bytes);
        }
    }

    /** Free blocks that were parts of segments were taken, or joined with others. */
    void splitTaken(PoolSums pool, int blocks) {
        if (splitRose) {
            splitRose = false;
            inactiveSplit.notePeaks(small.split - small.splitGone, large.split - large.splitGone);
        }
        pool.splitGone += blocks;
    }

    /** Bytes of such blocks were taken, or became part of a whole segment. */
    void splitBytesTaken(PoolSums pool, long bytes) {
        if (splitBytesRose) {
            splitBytesRose = false;
            inactiveSplitBytes.notePeaks(
                    small.splitBytes - small.splitBytesGone, large.splitBytes - large.splitBytesGone);
        }
        pool.splitBytesGone += bytes;
    }

    /** Memory was returned to the driver: the ideal allocator returns all it does not use. */
    void released() {
        mostActive = activeBytes.all().current();
    }

    /**
     * Bytes that an allocator without fragmentation would hold. It caches as PyTorch's does, but could move blocks
     * together at no cost, so that it asks the driver only when more bytes are active than it holds. What it holds is
     * therefore the most that was active at once since memory was last returned, in whole granules of the driver.
     */
    long idealReserved() {
        long most = Math.max(mostActive, activeBytes.all().current());
        return Bytes.roundUp(most, SimulatedDeviceMemory.GRANULE);
    }

    /** Blocks handed out. */
    public Stat allocation() {
        return allocation.all();
    }

    /** Segments from the driver; expandable ones are not counted, as in PyTorch. */
    public Stat segment() {
        return segment.all();
    }

    /** Blocks handed out or awaited on another stream. */
    public Stat active() {
        return active.all();
    }

    /** Free blocks that cannot be returned to the driver, as other parts of their segment are in use. */
    public Stat inactiveSplit() {
        return inactiveSplit.all();
    }

    /** Bytes of blocks handed out, with rounding. */
    public Stat allocatedBytes() {
        return allocatedBytes.all();
    }

    /** Bytes held from the driver. */
    public Stat reservedBytes() {
        return reservedBytes.all();
    }

    /** Bytes of blocks handed out or awaited on another stream. */
    public Stat activeBytes() {
        return activeBytes.all();
    }

    /** Bytes of the blocks that {@link #inactiveSplit} counts. */
    public Stat inactiveSplitBytes() {
        return inactiveSplitBytes.all();
    }

    /** Bytes that the program asked for, before rounding. */
    public Stat requestedBytes() {
        return requestedBytes.all();
    }

    /** Blocks in use of at least max_split_size. */
    public Stat oversizeAllocations() {
        return oversizeAllocations.all();
    }

    /** Segments of at least max_split_size. */
    public Stat oversizeSegments() {
        return oversizeSegments.all();
    }

    /** Requests that were tried again after all cached memory had been returned. */
    public long numAllocRetries() {
        return allocRetries;
    }

    /** Requests that failed. */
    public long numOoms() {
        return ooms;
    }

    /** Times that all streams were waited for. */
    public long numSyncAllStreams() {
        return syncAllStreams;
    }

    /** Segments taken and ranges mapped. */
    public long numDeviceAlloc() {
        return deviceAllocs;
    }

    /** Segments returned and ranges unmapped. */
    public long numDeviceFree() {
        return deviceFrees;
    }

    /** Requests refused by throw_on_cudamalloc_oom. */
    public long numOomRejections() {
        return oomRejections;
    }

    /** Every statistic that PyTorch breaks down by pool, by its name. */
    public Map<String, StatArray> arrays() {
        Map<String, StatArray> arrays = new LinkedHashMap<>();
        arrays.put("active", active);
        arrays.put("active_bytes", activeBytes);
        arrays.put("allocated_bytes", allocatedBytes);
        arrays.put("allocation", allocation);
        arrays.put("inactive_split", inactiveSplit);
        arrays.put("inactive_split_bytes", inactiveSplitBytes);
        arrays.put("requested_bytes", requestedBytes);
        arrays.put("reserved_bytes", reservedBytes);
        arrays.put("segment", segment);
        return arrays;
    }

    private List<StatArray> all() {
        return List.of(
                active,
                activeBytes,
                allocatedBytes,
                allocation,
                inactiveSplit,
                inactiveSplitBytes,
                requestedBytes,
                reservedBytes,
                segment,
                oversizeAllocations,
                oversizeSegments);
    }

    /** A copy of all values under the keys of {@code torch.cuda.memory_stats}, sorted. */
    public SortedMap<String, Long> asMap() {
        SortedMap<String, Long> values = new TreeMap<>();
        arrays().forEach((name, array) -> put(values, name, array));
        reservedByPool.forEach((pool, array) -> put(values, "reserved_bytes_by_private_pools.0_" + pool, array));
        put(values, "oversize_allocations", oversizeAllocations.all());
        put(values, "oversize_segments", oversizeSegments.all());
        values.put("num_alloc_retries", allocRetries);
        values.put("num_ooms", ooms);
        values.put("num_sync_all_streams", syncAllStreams);
        values.put("num_device_alloc", deviceAllocs);
        values.put("num_device_free", deviceFrees);
        values.put("num_oom_rejections", oomRejections);
        values.put("max_split_size", maxSplitSize == Long.MAX_VALUE ? -1 : maxSplitSize);
        return values;
    }

    void resetPeak() {
        all().forEach(StatArray::resetPeak);
        reservedByPool.values().forEach(StatArray::resetPeak);
    }

    void resetAccumulated() {
        all().forEach(StatArray::resetAccumulated);
        reservedByPool.values().forEach(StatArray::resetAccumulated);
        allocRetries = 0;
        ooms = 0;
        syncAllStreams = 0;
        deviceAllocs = 0;
        deviceFrees = 0;
        oomRejections = 0;
    }

    private static void put(Map<String, Long> values, String name, StatArray array) {
        put(values, name + ".all", array.all());
        put(values, name + ".small_pool", array.smallPool());
        put(values, name + ".large_pool", array.largePool());
    }

    private static void put(Map<String, Long> values, String name, Stat stat) {
        values.put(name + ".current", stat.current());
        values.put(name + ".peak", stat.peak());
        values.put(name + ".allocated", stat.allocated());
        values.put(name + ".freed", stat.freed());
    }
}
