package dev.headroom.allocator;

import java.util.ArrayList;
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
    // Places of the sums of a pool in the table. Several counters share what was handed out.
    private static final int HANDED_OUT = 0;
    private static final int HANDED_OUT_BYTES = 1;
    private static final int HANDED_OUT_REQUESTED = 2;
    private static final int GIVEN_BACK = 3;
    private static final int GIVEN_BACK_BYTES = 4;
    private static final int INACTIVE = 5;
    private static final int INACTIVE_BYTES = 6;
    private static final int INACTIVE_REQUESTED = 7;
    // Of these, the sum of decreases follows that of increases.
    private static final int INACTIVE_SPLIT = 8;
    private static final int INACTIVE_SPLIT_BYTES = 10;
    private static final int SEGMENT = 12;
    private static final int RESERVED_BYTES = 14;
    private static final int OVERSIZE_ALLOCATIONS = 16;
    private static final int OVERSIZE_SEGMENTS = 18;

    private final long[] sums = new long[StatArray.LENGTH];
    private final StatArray allocation = new StatArray(sums, HANDED_OUT, GIVEN_BACK);
    private final StatArray active = new StatArray(sums, HANDED_OUT, INACTIVE);
    private final StatArray allocatedBytes = new StatArray(sums, HANDED_OUT_BYTES, GIVEN_BACK_BYTES);
    private final StatArray activeBytes = new StatArray(sums, HANDED_OUT_BYTES, INACTIVE_BYTES);
    private final StatArray requestedBytes = new StatArray(sums, HANDED_OUT_REQUESTED, INACTIVE_REQUESTED);
    private final StatArray inactiveSplit = of(INACTIVE_SPLIT);
    private final StatArray inactiveSplitBytes = of(INACTIVE_SPLIT_BYTES);
    final StatArray segment = of(SEGMENT);
    final StatArray reservedBytes = of(RESERVED_BYTES);
    final StatArray oversizeAllocations = of(OVERSIZE_ALLOCATIONS);
    final StatArray oversizeSegments = of(OVERSIZE_SEGMENTS);
    /** What an allocator without fragmentation would hold. */
    private final IdealAllocator ideal = new IdealAllocator();
    /** Blocks were handed out since peaks were noted. */
    private boolean rose;

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
        System.arraycopy(other.sums, 0, sums, 0, sums.length);
        List<StatArray> theirs = other.all();
        List<StatArray> mine = all();
        for (int i = 0; i < mine.size(); i++) {
            mine.get(i).copyFrom(theirs.get(i));
        }
        ideal.copyFrom(other.ideal);
        rose = other.rose;
        allocRetries = other.allocRetries;
        ooms = other.ooms;
        syncAllStreams = other.syncAllStreams;
        deviceAllocs = other.deviceAllocs;
        deviceFrees = other.deviceFrees;
        oomRejections = other.oomRejections;
    }

    private StatArray of(int place) {
        return new StatArray(sums, place, place + 1);
    }

    /** A block was handed out. Peaks are noted before the next block comes back. */
    void handedOut(int pool, long size, long requested) {
        long[] s = sums;
        s[pool + HANDED_OUT]++;
        s[pool + HANDED_OUT_BYTES] += size;
        s[pool + HANDED_OUT_REQUESTED] += requested;
        rose = true;
    }

    /** A block was given back, though other streams may still use it. */
    void givenBack(int pool, long size) {
        if (rose) {
            notePeaks();
        }
        long[] s = sums;
        s[pool + GIVEN_BACK]++;
        s[pool + GIVEN_BACK_BYTES] += size;
    }

    /** No stream uses a block any more. */
    void becameInactive(int pool, long size, long requested) {
        if (rose) {
            notePeaks();
        }
        long[] s = sums;
        s[pool + INACTIVE]++;
        s[pool + INACTIVE_BYTES] += size;
        s[pool + INACTIVE_REQUESTED] += requested;
    }

    /** Memory was returned to the driver. */
    void released() {
        ideal.released(activeBytes.all().current());
    }

    private void notePeaks() {
        allocation.notePeaks();
        allocatedBytes.notePeaks();
        active.notePeaks();
        activeBytes.notePeaks();
        requestedBytes.notePeaks();
        ideal.active(activeBytes.all().current());
        rose = false;
    }

    /** Bytes that an allocator without fragmentation would hold. */
    long idealReserved() {
        if (rose) {
            notePeaks();
        }
        return ideal.reserved();
    }

    /** There are more or, where numbers are negative, fewer free blocks that are parts of segments. */
    void inactiveSplit(int pool, int blocks, long bytes) {
        inactiveSplit.change(pool, blocks);
        inactiveSplitBytes.change(pool, bytes);
    }

    /** A part of a segment, or a piece of it, is no longer free. */
    void inactiveSplitTaken(int pool, int blocks, long bytes) {
        inactiveSplit.decrease(pool, blocks);
        inactiveSplitBytes.decrease(pool, bytes);
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
        List<StatArray> all = new ArrayList<>(arrays().values());
        all.add(oversizeAllocations);
        all.add(oversizeSegments);
        return all;
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
