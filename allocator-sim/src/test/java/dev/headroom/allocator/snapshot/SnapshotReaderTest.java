package dev.headroom.allocator.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.snapshot.TraceEvent.PoolId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What older versions of PyTorch leave out, what is damaged, and what a recorder writes. */
class SnapshotReaderTest {
    private static PickleDict dict(Object... entries) {
        PickleDict dict = new PickleDict();
        for (int i = 0; i < entries.length; i += 2) {
            dict.put(entries[i], entries[i + 1]);
        }
        return dict;
    }

    private static PickleList list(Object... items) {
        PickleList list = new PickleList();
        for (Object item : items) {
            list.add(item);
        }
        return list;
    }

    private static Snapshot read(Object value) {
        return new SnapshotReader().read(value);
    }

    private static PickleDict segment(Object... more) {
        PickleDict s = dict("address", 4096L, "total_size", 2048L, "segment_type", "small");
        for (int i = 0; i < more.length; i += 2) {
            s.put(more[i], more[i + 1]);
        }
        return s;
    }

    /** Version 2.0 wrote no addresses of blocks, no requested sizes, no pools and no settings. */
    @Test
    void whatOldVersionsLeaveOut() {
        PickleDict first = dict("size", 512L, "state", "active_allocated");
        PickleDict second = dict("size", 1024L, "state", "inactive", "requested_size", 0L);
        PickleDict third = dict("size", 512L, "state", "active_pending_free", "requested_size", 500L);
        Snapshot s = read(dict("segments", list(segment("blocks", list(first, second, third)))));
        SnapshotSegment only = s.segments().get(0);
        assertEquals(
                List.of(4096L, 4608L, 5632L),
                only.blocks().stream().map(SnapshotSegment.Block::address).toList());
        assertEquals(512, only.blocks().get(0).requestedSize());
        assertEquals(BlockState.ACTIVE_PENDING_FREE, only.blocks().get(2).state());
        assertEquals(0, only.device());
        assertEquals(0, only.stream());
        assertTrue(only.small());
        assertFalse(only.expandable());
        assertSame(PoolId.DEFAULT, only.pool());
        assertEquals(512, only.allocatedSize());
        assertEquals(1024, only.activeSize());
        assertEquals(1012, only.requestedSize());
        assertEquals(List.of(), s.deviceTraces());
        assertEquals("", s.allocConf());
    }

    @Test
    void allFieldsAreRead() {
        PickleDict frame = dict("name", "forward", "filename", "train.py", "line", 7L);
        PickleDict event = dict(
                "action",
                "alloc",
                "addr",
                9L,
                "size",
                5L,
                "stream",
                3L,
                "time_us",
                8L,
                "pool_id",
                list(0L, 2L),
                "user_metadata",
                "step 1",
                "frames",
                list(frame));
        PickleDict oom = dict("action", "oom", "device_free", 77L);
        PickleDict large = segment("is_expandable", true, "device", 1L, "stream", 6L, "segment_pool_id", list(1L, 0L));
        large.put("segment_type", "large");
        Snapshot s = read(dict(
                "segments", list(large),
                "device_traces", list(list(), list(event, oom)),
                "allocator_settings", dict("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64")));
        assertEquals("max_split_size_mb:64", s.allocConf());
        assertEquals(
                new TraceEvent(
                        "alloc", 9, 5, 3, 8, new PoolId(0, 2), "step 1", List.of(new Frame("forward", "train.py", 7))),
                s.deviceTraces().get(1).get(0));
        assertEquals(77, s.deviceTraces().get(1).get(1).address());
        assertEquals(List.of(), s.deviceTraces().get(1).get(1).frames());
        SnapshotSegment only = s.segments().get(0);
        assertTrue(only.expandable());
        assertFalse(only.small());
        assertEquals(1, only.device());
        assertEquals(6, only.stream());
        assertEquals(new PoolId(1, 0), only.pool());
        assertEquals(
                "", read(dict("segments", list(), "allocator_settings", 3L)).allocConf());
        assertSame(
                PoolId.DEFAULT,
                read(dict("segments", list(segment("segment_pool_id", list(0L, 0L)))))
                        .segments()
                        .get(0)
                        .pool());
    }

    /** Thousands of events have the same stack: it is kept once. */
    @Test
    void equalStacksAreOne() {
        PickleDict one = dict("action", "alloc", "frames", list(dict("name", "a", "filename", "b", "line", 1L)));
        PickleDict other = dict("action", "alloc", "frames", list(dict("name", "a", "filename", "b", "line", 1L)));
        List<TraceEvent> trace = read(dict("segments", list(), "device_traces", list(list(one, other))))
                .deviceTraces()
                .get(0);
        assertSame(trace.get(0).frames(), trace.get(1).frames());
    }

    @Test
    void damageIsNamed() {
        assertDamaged("a segment that is no dictionary", dict("segments", list(3L)));
        assertDamaged("'device_traces' that is no list", dict("segments", list(), "device_traces", 3L));
        assertDamaged("a device trace that is no list", dict("segments", list(), "device_traces", list(3L)));
        assertDamaged("a trace entry that is no dict", dict("segments", list(), "device_traces", list(list(3L))));
        assertDamaged("no text 'action'", dict("segments", list(), "device_traces", list(list(dict()))));
        assertDamaged("no number 'address'", dict("segments", list(dict())));
        assertDamaged("segment_type 'medium'", dict("segments", list(segment("segment_type", "medium"))));
        assertDamaged("no number 'device'", dict("segments", list(segment("device", "one"))));
        assertDamaged("a block that is no", dict("segments", list(segment("blocks", list(3L)))));
        assertDamaged(
                "a block in state 'gone'",
                dict("segments", list(segment("blocks", list(dict("size", 5L, "state", "gone"))))));
        assertDamaged("a frame that is no", dict("segments", list(segment("frames", list(3L)))));
    }

    private static void assertDamaged(String words, PickleDict value) {
        String said =
                assertThrows(IllegalArgumentException.class, () -> read(value)).getMessage();
        assertTrue(said.startsWith("damaged snapshot: ") && said.contains(words), said);
    }

    /** Only the newest entries are kept; times are the events' numbers. */
    @Test
    void historiesAreBounded() {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
        SnapshotRecorder recorder = new SnapshotRecorder(allocator, 2, List::of);
        allocator.free(allocator.allocate(512, 0));
        List<TraceEvent> trace = recorder.snapshot().deviceTraces().get(0);
        assertEquals(
                List.of("free_requested", "free_completed"),
                trace.stream().map(TraceEvent::action).toList());
        assertEquals(List.of(2L, 3L), trace.stream().map(TraceEvent::timeMicros).toList());
        SnapshotRecorder none = new SnapshotRecorder(allocator, 0, List::of);
        allocator.allocate(512, 0);
        assertEquals(List.of(List.of()), none.snapshot().deviceTraces());
        assertThrows(IllegalArgumentException.class, () -> new SnapshotRecorder(allocator, -1, List::of));
    }

    /** A block's end names the place of its beginning; segments name theirs as long as they are there. */
    @Test
    void placesOfSegmentsAndEnds() throws IOException {
        CachingAllocator allocator = new CachingAllocator(
                AllocatorSettings.parse("max_split_size_mb:64"), new SimulatedDeviceMemory(1L << 30));
        String[] at = {"first"};
        SnapshotRecorder recorder = new SnapshotRecorder(allocator, 100, () -> List.of(new Frame(at[0], "", 0)));
        allocator.createPool(3);
        allocator.beginAllocateToPool(3, stream -> true);
        int block = allocator.allocate(30 << 20, 0);
        allocator.endAllocateToPool(3);
        at[0] = "second";
        allocator.free(block);
        Snapshot s = recorder.snapshot();
        List<String> places = s.deviceTraces().get(0).stream()
                .map(e -> e.action() + " " + e.frames().get(0).name())
                .toList();
        assertEquals(
                List.of("segment_alloc first", "alloc first", "free_requested second", "free_completed first"), places);
        assertEquals("first", s.segments().get(0).frames().get(0).name());
        assertEquals(List.of(), s.segments().get(0).blocks().get(0).frames());
        assertEquals(new PoolId(0, 3), s.segments().get(0).pool());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        s.write(out);
        PickleDict raw = (PickleDict) new Unpickler(new ByteArrayInputStream(out.toByteArray())).load();
        PickleDict settings = (PickleDict) raw.get("allocator_settings");
        assertEquals(64L << 20, settings.get("max_split_size"));
        assertEquals(false, settings.get("expandable_segments"));
        assertEquals(0.0, settings.get("garbage_collection_threshold"));
        assertEquals(16, ((PickleDict) settings.get("roundup_power2_divisions")).size());
        PickleDict segment = (PickleDict) ((PickleList) raw.get("segments")).get(0);
        assertEquals(0L, segment.get("active_size"));
        assertEquals("large", segment.get("segment_type"));
    }
}
