package dev.headroom.allocator.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotSegment;
import dev.headroom.allocator.snapshot.TraceEvent;
import dev.headroom.allocator.snapshot.TraceEvent.PoolId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The history of a snapshot as requests. */
class SnapshotTraceTest {
    private static final PoolId OWN = new PoolId(0, 1);

    private static TraceEvent event(String action, long address, long size, long stream, PoolId pool) {
        return new TraceEvent(action, address, size, stream, 0, pool, "", List.of());
    }

    private static TraceEvent event(String action, long address) {
        return event(action, address, 512, 0, PoolId.DEFAULT);
    }

    private static List<String> requests(Snapshot snapshot, int device) {
        Written sink = new Written();
        new SnapshotTrace(snapshot, device, "snapshot").play(sink);
        return sink.lines;
    }

    private static Snapshot of(TraceEvent... events) {
        return new Snapshot(List.of(), List.of(List.of(), List.of(events)), "max_split_size_mb:64");
    }

    @Test
    void theFirstDeviceWithHistoryIsTaken() {
        Snapshot snapshot = of(event("alloc", 4096));
        assertEquals(1, SnapshotTrace.firstDevice(snapshot));
        assertEquals(0, SnapshotTrace.firstDevice(new Snapshot(List.of(), List.of(), "")));
        SnapshotTrace trace = new SnapshotTrace(snapshot, 1, "snapshot");
        assertEquals("max_split_size_mb:64", trace.settings().text());
        assertEquals(0, trace.totalBytes());
        assertEquals("snapshot", trace.name());
        for (int device : new int[] {-1, 0, 2}) {
            String said = assertThrows(
                            IllegalArgumentException.class, () -> new SnapshotTrace(snapshot, device, "snapshot"))
                    .getMessage();
            assertTrue(said.startsWith("snapshot: no history for device " + device), said);
        }
    }

    /** Streams are addresses in a snapshot, and small numbers here, in the order in which they are met. */
    @Test
    void streamsAreNumbered() {
        assertEquals(
                List.of("allocate 1 5 1", "allocate 2 6 0", "allocate 3 7 2", "allocate 4 8 1"),
                requests(
                        of(
                                event("alloc", 1, 5, 0xbeef, PoolId.DEFAULT),
                                event("alloc", 2, 6, 0, PoolId.DEFAULT),
                                event("alloc", 3, 7, 0xcafe, PoolId.DEFAULT),
                                event("alloc", 4, 8, 0xbeef, PoolId.DEFAULT)),
                        1));
    }

    @Test
    void requestsGoToTheirPools() {
        assertEquals(
                List.of("pool 1", "allocate 1 512 0", "allocate 2 512 0", "pool 0", "failed 512 0", "free 1"),
                requests(
                        of(
                                event("alloc", 1, 512, 0, OWN),
                                event("alloc", 2, 512, 0, OWN),
                                event("oom", 0, 512, 0, PoolId.DEFAULT),
                                event("free_requested", 1, 512, 0, OWN),
                                event("free_completed", 1, 512, 0, OWN)),
                        1));
    }

    /**
     * A block of another device, one that is free, and one that was allocated within the history are no earlier ones.
     * What was freed in the history without having been allocated there is, with its pool and stream.
     */
    @Test
    void blocksOfBeforeComeFirstByAddress() {
        SnapshotSegment mine = segment(1, 0x9000_0000_0000_0000L, BlockState.ACTIVE_ALLOCATED, 100, OWN);
        SnapshotSegment free = segment(1, 4096, BlockState.INACTIVE, 0, PoolId.DEFAULT);
        SnapshotSegment others = segment(0, 8192, BlockState.ACTIVE_ALLOCATED, 100, PoolId.DEFAULT);
        SnapshotSegment within = segment(1, 2048, BlockState.ACTIVE_ALLOCATED, 100, PoolId.DEFAULT);
        Snapshot snapshot = new Snapshot(
                List.of(mine, free, others, within),
                List.of(
                        List.of(),
                        List.of(
                                event("free_completed", 77),
                                event("alloc", 2048),
                                event("free_requested", 1024, 300, 9, PoolId.DEFAULT),
                                event("free_completed", 1024, 300, 9, PoolId.DEFAULT))),
                "");
        assertEquals(2, new SnapshotTrace(snapshot, 1, "snapshot").earlierBlocks());
        long high = 0x9000_0000_0000_0000L;
        assertEquals(
                List.of(
                        "allocate 1024 300 1",
                        "pool 1",
                        "allocate " + high + " 100 2",
                        "pool 0",
                        "allocate 2048 512 0",
                        "free 1024"),
                requests(snapshot, 1));
    }

    private static SnapshotSegment segment(int device, long address, BlockState state, long requested, PoolId pool) {
        return new SnapshotSegment(
                device,
                address,
                2 << 20,
                5,
                true,
                pool,
                false,
                List.of(),
                List.of(new SnapshotSegment.Block(address, 512, requested, state, List.of())));
    }

    @Test
    void unknownActionsAreNamedWithTheirPlace() {
        String said = assertThrows(
                        IllegalArgumentException.class, () -> requests(of(event("alloc", 1), event("grow", 1)), 1))
                .getMessage();
        assertEquals("snapshot: unknown action 'grow' in trace entry 1", said);
    }
}
