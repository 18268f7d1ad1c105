package dev.headroom.allocator.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.allocator.AllocatorStatistics;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.Fixtures;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.trace.JsonTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Training runs of PyTorch: playing their requests gives every segment at its place, the state at the end of every
 * phase, and the segments at the end.
 */
class RecordedTraceTest {
    static Stream<Path> traces() {
        List<Path> files = new ArrayList<>(Fixtures.recordings("allocator/traces"));
        assertFalse(files.isEmpty());
        files.addAll(Fixtures.withTrace("."));
        files.addAll(Fixtures.withTrace("cudnn/h200"));
        files.addAll(Fixtures.withTrace("cudnn/rtx3060-12"));
        return files.stream();
    }

    @ParameterizedTest
    @MethodSource("traces")
    void sameStatesAtEveryPhase(Path file) throws IOException {
        JsonNode recording = Fixtures.read(file);
        JsonTrace trace = JsonTrace.open(file);
        CachingAllocator allocator =
                new CachingAllocator(trace.settings(), new SimulatedDeviceMemory(trace.totalBytes()));
        List<String> happened = new ArrayList<>();
        allocator.setListener((action, address, bytes, stream, pool) -> {
            if (action.label().startsWith("segment_")) {
                happened.add(action.label() + " " + bytes + " at " + address);
            }
        });
        Iterator<JsonNode> phases = recording.get("phases").iterator();
        Replay replay = new Replay(allocator, new ReplayObserver() {
            @Override
            public void mark(Replay r, String name, int step, int micro) {
                JsonNode phase = phases.next();
                assertEquals(phase.get("phase").asText(), name);
                compare(phase, allocator.statistics(), name + " of step " + step);
            }
        });
        trace.play(replay);
        assertEquals(recording.has("oom"), replay.result().firstFailure() != null);
        compare(recording.get("final"), allocator.statistics(), "final");
        assertEquals(segmentEvents(recording, happened), happened);
        assertEquals(recordedSegments(recording), simulatedSegments(allocator));
    }

    private static void compare(JsonNode expected, AllocatorStatistics stats, String at) {
        assertEquals(expected.get("allocated").asLong(), stats.allocatedBytes().current(), "allocated, " + at);
        assertEquals(expected.get("reserved").asLong(), stats.reservedBytes().current(), "reserved, " + at);
        assertEquals(
                expected.get("max_allocated").asLong(), stats.allocatedBytes().peak(), "max_allocated, " + at);
        assertEquals(
                expected.get("max_reserved").asLong(), stats.reservedBytes().peak(), "max_reserved, " + at);
        assertEquals(
                expected.get("requested_bytes").asLong(), stats.requestedBytes().current(), "requested, " + at);
        assertEquals(expected.get("active_bytes").asLong(), stats.activeBytes().current(), "active, " + at);
        assertEquals(
                expected.get("inactive_split_bytes").asLong(),
                stats.inactiveSplitBytes().current(),
                "split, " + at);
        assertEquals(expected.get("segment").asLong(), stats.segment().current(), "segment, " + at);
        assertEquals(expected.get("num_alloc_retries").asLong(), stats.numAllocRetries(), "retries, " + at);
        assertEquals(expected.get("num_ooms").asLong(), stats.numOoms(), "ooms, " + at);
    }

    /** Recorded addresses count from the lowest one. */
    private static List<String> segmentEvents(JsonNode recording, List<String> happened) {
        long lowest = happened.stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .min()
                .orElseThrow();
        List<String> lines = new ArrayList<>();
        for (JsonNode event : recording.get("trace")) {
            String action = event.get(0).asText();
            if (action.startsWith("segment_")) {
                lines.add(action + " " + event.get(2) + " at " + (event.get(4).asLong() + lowest));
            }
        }
        return lines;
    }

    private static List<String> recordedSegments(JsonNode recording) {
        List<String> lines = new ArrayList<>();
        for (JsonNode segment : recording.get("segments")) {
            lines.add(segment.get("total_size") + " "
                    + segment.get("segment_type").asText());
            for (JsonNode block : segment.get("blocks")) {
                lines.add("  " + block.get(0) + " " + block.get(2).asText());
            }
        }
        return lines;
    }

    private static List<String> simulatedSegments(CachingAllocator allocator) {
        List<String> lines = new ArrayList<>();
        for (Segment segment : allocator.segments()) {
            lines.add(segment.size() + " " + (segment.small() ? "small" : "large"));
            for (Segment.Block block : segment.blocks()) {
                lines.add("  " + block.size() + " " + block.state().label());
            }
        }
        return lines;
    }
}
