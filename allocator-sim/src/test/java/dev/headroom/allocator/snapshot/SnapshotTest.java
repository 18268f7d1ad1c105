package dev.headroom.allocator.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorListener;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.Fixtures;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.replay.Replay;
import dev.headroom.allocator.replay.ReplayObserver;
import dev.headroom.allocator.replay.ReplayResult;
import dev.headroom.allocator.trace.SnapshotTrace;
import dev.headroom.allocator.trace.TraceFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotTest {
    private static final long H200 = 150754820096L;

    /** Two steps of resnet18; see README.md beside the file. */
    private static final String RESNET = "../../../snapshots/resnet18-b4-i64-sgd.pickle.gz";

    private static Path file(String name) {
        return Fixtures.root().resolve("allocator/snapshots").resolve(name);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void allProtocolsReadTheSame(int protocol) throws IOException {
        Snapshot newest = Snapshot.read(file("default-p4.pickle"));
        assertEquals(newest, Snapshot.read(file("default-p" + protocol + ".pickle")));
        assertEquals(471, newest.deviceTraces().get(0).size());
        assertEquals(13, newest.segments().size());
        assertTrue(newest.deviceTraces().get(0).get(0).frames().stream()
                .anyMatch(f -> f.filename().equals("train.py")));
    }

    /** The history, played again, takes and returns the segments that PyTorch did, and ends in those that it had. */
    @ParameterizedTest
    @ValueSource(strings = {"default-p4.pickle", "expandable-p4.pickle", RESNET})
    void replayEndsInTheSnapshotsSegments(String name) throws IOException {
        Snapshot snapshot = Snapshot.read(file(name));
        SnapshotTrace trace = new SnapshotTrace(snapshot, 0, name);
        assertEquals(0, trace.earlierBlocks());
        List<String> end = new ArrayList<>();
        Replay.run(trace, trace.settings(), H200, new ReplayObserver() {
            @Override
            public void afterEvent(Replay replay) {
                end.clear();
                if (replay.events() > 0) {
                    replay.allocator().segments().forEach(s -> end.add(shape(s)));
                }
            }
        });
        List<String> recorded = new ArrayList<>();
        snapshot.segments().forEach(s -> recorded.add(shape(s)));
        assertEquals(recorded, end);
    }

    /** PyTorch's own figures of the run are 166003200 and 186646528 bytes. */
    @Test
    void replayHasThePeaksOfTheRun() throws IOException {
        var trace = TraceFile.open(file(RESNET));
        ReplayResult result = Replay.run(trace, trace.settings(), H200);
        assertEquals(166003200, result.peakAllocated());
        assertEquals(186646528, result.peakReserved());
    }

    @Test
    void otherSettingsGiveOtherPeaks() throws IOException {
        var trace = TraceFile.open(file("default-p4.pickle"));
        ReplayResult asRecorded = Replay.run(trace, trace.settings(), 0);
        ReplayResult expandable = Replay.run(trace, AllocatorSettings.parse("expandable_segments:True"), 0);
        assertTrue(asRecorded.fits());
        String requested = "requested_bytes.all.peak";
        assertEquals(
                asRecorded.statistics().get(requested), expandable.statistics().get(requested));
        assertTrue(expandable.peakReserved() <= asRecorded.peakReserved());
        assertTrue(asRecorded.peakReserved() - asRecorded.fragmentation() >= asRecorded.peakAllocated());
    }

    @ParameterizedTest
    @ValueSource(strings = {"default-p4.pickle", "expandable-p4.pickle", RESNET})
    void writtenSnapshotsAreReadBack(String name) throws IOException {
        Snapshot snapshot = Snapshot.read(file(name));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        snapshot.write(out);
        assertEquals(snapshot, Snapshot.read(new ByteArrayInputStream(out.toByteArray())));
    }

    @Test
    void recorderKeepsModulesAsFrames() throws IOException {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 30));
        List<Frame> place = new ArrayList<>(List.of(new Frame("layer1.0.conv1", "module", 0)));
        SnapshotRecorder recorder = new SnapshotRecorder(allocator, 3, () -> List.copyOf(place));
        int first = allocator.allocate(1000, 0);
        place.set(0, new Frame("layer2", "module", 0));
        int second = allocator.allocate(3 << 20, 0);
        allocator.free(first);
        Snapshot snapshot = recorder.snapshot();
        assertEquals(
                List.of("alloc", "free_requested", "free_completed"),
                snapshot.deviceTraces().get(0).stream().map(TraceEvent::action).toList());
        SnapshotSegment large = snapshot.segments().get(1);
        assertEquals(allocator.address(second), large.blocks().get(0).address());
        assertEquals(
                List.of(new Frame("layer2", "module", 0)), large.blocks().get(0).frames());
        assertEquals(BlockState.INACTIVE, large.blocks().get(1).state());
        assertEquals(
                AllocatorListener.Action.ALLOC.label(),
                snapshot.deviceTraces().get(0).get(0).action());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        snapshot.write(out);
        assertEquals(snapshot, Snapshot.read(new ByteArrayInputStream(out.toByteArray())));
    }

    @Test
    void historyThatBeginsLateStartsWithTheBlocksOfBefore() {
        SnapshotSegment segment = new SnapshotSegment(
                0,
                4096,
                2L << 20,
                77,
                true,
                TraceEvent.PoolId.DEFAULT,
                false,
                List.of(),
                List.of(new SnapshotSegment.Block(4096, 512, 100, BlockState.ACTIVE_ALLOCATED, List.of())));
        TraceEvent completed = event("free_completed", 5120, 300);
        TraceEvent freed = event("free_requested", 8192, 600);
        TraceEvent freedToo = event("free_completed", 8192, 600);
        Snapshot snapshot = new Snapshot(List.of(segment), List.of(List.of(completed, freed, freedToo)), "");
        SnapshotTrace trace = new SnapshotTrace(snapshot, 0, "late");
        assertEquals(2, trace.earlierBlocks());
        try {
            ReplayResult result = Replay.run(trace, trace.settings(), 0);
            assertEquals(100, result.statistics().get("requested_bytes.all.current"));
            assertEquals(700, result.statistics().get("requested_bytes.all.peak"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertFalse(trace.name().isEmpty());
    }

    private static TraceEvent event(String action, long address, long size) {
        return new TraceEvent(action, address, size, 77, 0, TraceEvent.PoolId.DEFAULT, "", List.of());
    }

    private static String shape(SnapshotSegment segment) {
        StringBuilder text =
                new StringBuilder(segment.totalSize() + " " + segment.small() + " " + segment.expandable());
        segment.blocks().forEach(b -> text.append("\n  " + b.size() + " " + b.state() + " " + b.requestedSize()));
        return text.toString();
    }

    private static String shape(Segment segment) {
        StringBuilder text = new StringBuilder(segment.size() + " " + segment.small() + " " + segment.expandable());
        segment.blocks().forEach(b -> text.append("\n  " + b.size() + " " + b.state() + " " + b.requested()));
        return text.toString();
    }
}
