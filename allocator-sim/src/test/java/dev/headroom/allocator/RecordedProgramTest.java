package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import it.unimi.dsi.fastutil.ints.Int2IntMap;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs that were run with PyTorch's own allocator: every state, counter, segment and block must be the same. */
class RecordedProgramTest {
    static Stream<Path> programs() {
        List<Path> files = new ArrayList<>(Fixtures.recordings("allocator"));
        files.addAll(Fixtures.recordings("allocator/more"));
        assertFalse(files.isEmpty());
        return files.stream().sorted(Comparator.comparing(Path::getFileName));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void sameStatesAsPyTorch(Path file) {
        JsonNode recording = Fixtures.read(file);
        JsonNode config = recording.get("config");
        AllocatorSettings settings = AllocatorSettings.parse(config.get("conf").asText());
        if (config.get("limit_bytes").asLong() > 0) {
            settings = settings.withLimitBytes(config.get("limit_bytes").asLong());
        }
        DeviceMemory memory =
                new SimulatedDeviceMemory(recording.get("total_bytes").asLong());
        CachingAllocator allocator = new CachingAllocator(settings, memory);
        Int2IntOpenHashMap live = new Int2IntOpenHashMap();
        int failed = 0;
        int step = 0;
        int state = 0;
        // The recorder learns the address of its newest block after any empty_cache that follows the request.
        int unnamed = -1;
        for (JsonNode op : recording.get("ops")) {
            int id = op.size() > 1 ? op.get(1).asInt() : -1;
            switch (op.get(0).asText()) {
                case "a" -> {
                    try {
                        live.put(
                                id,
                                allocator.allocate(op.get(2).asLong(), op.get(3).asInt()));
                    } catch (OutOfMemoryException e) {
                        assertEquals("oom", op.path(4).asText(), "op " + step + ": " + e.getMessage());
                        failed++;
                    }
                }
                case "f" -> allocator.free(live.remove(id));
                default -> allocator.emptyCache();
            }
            unnamed = op.get(0).asText().equals("e")
                    ? unnamed
                    : op.get(0).asText().equals("a") ? id : -1;
            step++;
            JsonNode expected = recording.get("states").path(state);
            if (expected.path("after").asInt() == step) {
                compare(expected, allocator, live, failed, unnamed);
                state++;
            }
        }
        assertEquals(recording.get("states").size(), state);
        compare(recording.get("final"), allocator, live, failed, -1);
    }

    private static void compare(
            JsonNode expected, CachingAllocator allocator, Int2IntMap live, int failed, int unnamed) {
        String at = "after " + expected.get("after") + " ";
        AllocatorStatistics stats = allocator.statistics();
        assertEquals(expected.get("allocated").asLong(), stats.allocatedBytes().current(), at + "allocated");
        assertEquals(expected.get("reserved").asLong(), stats.reservedBytes().current(), at + "reserved");
        assertEquals(expected.get("active").asLong(), stats.activeBytes().current(), at + "active");
        assertEquals(expected.get("requested").asLong(), stats.requestedBytes().current(), at + "requested");
        assertEquals(
                expected.get("inactive_split").asLong(),
                stats.inactiveSplitBytes().current(),
                at + "inactive_split");
        assertEquals(
                expected.get("max_allocated").asLong(), stats.allocatedBytes().peak(), at + "max_allocated");
        assertEquals(
                expected.get("max_reserved").asLong(), stats.reservedBytes().peak(), at + "max_reserved");
        assertEquals(expected.get("segments").asLong(), stats.segment().current(), at + "segments");
        assertEquals(expected.get("ooms").asLong(), stats.numOoms(), at + "ooms");
        assertEquals(expected.get("retries").asLong(), stats.numAllocRetries(), at + "retries");
        assertEquals(expected.get("failed").asInt(), failed, at + "failed");
        if (expected.has("segment_list")) {
            assertEquals(recorded(expected.get("segment_list")), simulated(allocator, live, unnamed), at + "segments");
        }
    }

    private static List<String> recorded(JsonNode segments) {
        List<String> lines = new ArrayList<>();
        for (JsonNode s : segments) {
            lines.add(s.get("type").asText() + " " + s.get("size") + " stream " + s.get("stream") + " expandable "
                    + s.get("expandable"));
            for (JsonNode b : s.get("blocks")) {
                lines.add("  " + b.get(0) + " " + b.get(1).asText() + " " + b.get(2));
            }
        }
        return lines;
    }

    private static List<String> simulated(CachingAllocator allocator, Int2IntMap live, int unnamed) {
        Int2IntOpenHashMap ids = new Int2IntOpenHashMap();
        live.forEach((id, block) -> ids.put(block, id));
        List<String> lines = new ArrayList<>();
        for (Segment s : allocator.segments()) {
            lines.add((s.small() ? "small " : "large ") + s.size() + " stream " + s.stream() + " expandable "
                    + s.expandable());
            for (Segment.Block b : s.blocks()) {
                boolean named = b.state() == BlockState.ACTIVE_ALLOCATED && ids.get(b.handle()) != unnamed;
                lines.add("  " + b.size() + " " + b.state().label() + " " + (named ? ids.get(b.handle()) : "null"));
            }
        }
        return lines;
    }
}
