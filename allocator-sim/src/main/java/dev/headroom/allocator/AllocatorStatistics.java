package dev.headroom.allocator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The counters of an allocator under the names of {@code torch.cuda.memory_stats} (c10's {@code DeviceStats}). They are
 * live: a counter that was asked for once shows later changes, too. Sums are bytes.
 */
public final class AllocatorStatistics {
    // Places of counters in one table. Frequent ones count there directly, which is faster than through objects.
    private static final int ALLOCATION = 0;
    private static final int ACTIVE = StatArray.WIDTH;
    private static final int ALLOCATED_BYTES = 2 * StatArray.WIDTH;
    private static final int ACTIVE_BYTES = 3 * StatArray.WIDTH;
    private static final int REQUESTED_BYTES = 4 * StatArray.WIDTH;
    private static final int INACTIVE_SPLIT = 5 * StatArray.WIDTH;
    private static final int INACTIVE_SPLIT_BYTES = 6 * StatArray.WIDTH;
    private static final int SEGMENT = 7 * StatArray.WIDTH;
    private static final int RESERVED_BYTES = 8 * StatArray.WIDTH;
    private static final int OVERSIZE_ALLOCATIONS = 9 * StatArray.WIDTH;
    private static final int OVERSIZE_SEGMENTS = OVERSIZE_ALLOCATIONS + Stat.WIDTH;

    private final long[] values = new long[OVERSIZE_SEGMENTS + Stat.WIDTH];
    private final StatArray allocation = new StatArray(values, ALLOCATION);
    private final StatArray active = new StatArray(values, ACTIVE);
    private final StatArray allocatedBytes = new StatArray(values, ALLOCATED_BYTES);
    private final StatArray activeBytes = new StatArray(values, ACTIVE_BYTES);
    private final StatArray requestedBytes = new StatArray(values, REQUESTED_BYTES);
    private final StatArray inactiveSplit = new StatArray(values, INACTIVE_SPLIT);
    private final StatArray inactiveSplitBytes = new StatArray(values, INACTIVE_SPLIT_BYTES);
    final StatArray segment = new StatArray(values, SEGMENT);
    final StatArray reservedBytes = new StatArray(values, RESERVED_BYTES);
    final Stat oversizeAllocations = new Stat(values, OVERSIZE_ALLOCATIONS);
    final Stat oversizeSegments = new Stat(values, OVERSIZE_SEGMENTS);
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
        System.arraycopy(other.values, 0, values, 0, values.length);
        allocRetries = other.allocRetries;
        ooms = other.ooms;
        syncAllStreams = other.syncAllStreams;
        deviceAllocs = other.deviceAllocs;
        deviceFrees = other.deviceFrees;
        oomRejections = other.oomRejections;
    }

    /** A block was handed out. */
    void handedOut(boolean small, long size, long requested) {
        long[] v = values;
        int pool = small ? StatArray.SMALL : StatArray.LARGE;
        StatArray.increase(v, ALLOCATION, pool, 1);
        StatArray.increase(v, ALLOCATED_BYTES, pool, size);
        StatArray.increase(v, ACTIVE, pool, 1);
        StatArray.increase(v, ACTIVE_BYTES, pool, size);
        StatArray.increase(v, REQUESTED_BYTES, pool, requested);
    }

    /** A block was given back, though other streams may still use it. */
    void givenBack(boolean small, long size) {
        int pool = small ? StatArray.SMALL : StatArray.LARGE;
        StatArray.decrease(values, ALLOCATION, pool, 1);
        StatArray.decrease(values, ALLOCATED_BYTES, pool, size);
    }

    /** No stream uses a block any more. */
    void becameInactive(boolean small, long size, long requested) {
        long[] v = values;
        int pool = small ? StatArray.SMALL : StatArray.LARGE;
        StatArray.decrease(v, ACTIVE, pool, 1);
        StatArray.decrease(v, ACTIVE_BYTES, pool, size);
        StatArray.decrease(v, REQUESTED_BYTES, pool, requested);
    }

    /** There are more or, where numbers are negative, fewer free blocks that are parts of segments. */
    void inactiveSplit(boolean small, int blocks, long bytes) {
        int pool = small ? StatArray.SMALL : StatArray.LARGE;
        StatArray.change(values, INACTIVE_SPLIT, pool, blocks);
        StatArray.change(values, INACTIVE_SPLIT_BYTES, pool, bytes);
    }

    long activeBytesNow() {
        return values[ACTIVE_BYTES];
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
        return oversizeAllocations;
    }

    /** Segments of at least max_split_size. */
    public Stat oversizeSegments() {
        return oversizeSegments;
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

    /** A copy of all values under the keys of {@code torch.cuda.memory_stats}, sorted. */
    public SortedMap<String, Long> asMap() {
        SortedMap<String, Long> values = new TreeMap<>();
        arrays().forEach((name, array) -> put(values, name, array));
        reservedByPool.forEach((pool, array) -> put(values, "reserved_bytes_by_private_pools.0_" + pool, array));
        put(values, "oversize_allocations", oversizeAllocations);
        put(values, "oversize_segments", oversizeSegments);
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
        arrays().values().forEach(StatArray::resetPeak);
        reservedByPool.values().forEach(StatArray::resetPeak);
        oversizeAllocations.resetPeak();
        oversizeSegments.resetPeak();
    }

    void resetAccumulated() {
        arrays().values().forEach(StatArray::resetAccumulated);
        reservedByPool.values().forEach(StatArray::resetAccumulated);
        oversizeAllocations.resetAccumulated();
        oversizeSegments.resetAccumulated();
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
