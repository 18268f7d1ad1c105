package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs with private pools (torch.cuda.MemPool), uses on other streams (Tensor.record_stream) and limits, recorded
 * with PyTorch's own allocator: all of its statistics and every block must be the same.
 */
class RecordedPoolsTest {
    static Stream<Path> programs() {
        return Fixtures.recordings("allocator/pools").stream();
    }

    @ParameterizedTest
    @MethodSource("programs")
    void sameStatisticsAsPyTorch(Path file) {
        JsonNode recording = Fixtures.read(file);
        JsonNode config = recording.get("config");
        AllocatorSettings settings = AllocatorSettings.parse(config.get("conf").asText());
        if (config.get("limit_bytes").asLong() > 0) {
            settings = settings.withLimitBytes(config.get("limit_bytes").asLong());
        }
        CachingAllocator allocator = new CachingAllocator(
                settings, new SimulatedDeviceMemory(recording.get("total_bytes").asLong()));
        allocator.createPool(1);
        allocator.createPool(2);
        config.get("no_split").forEach(pool -> allocator.setNoSplit(pool.asInt()));
        config.get("use_on_oom").forEach(pool -> allocator.setUseOnOutOfMemory(pool.asInt(), true));
        Int2IntOpenHashMap live = new Int2IntOpenHashMap();
        Iterator<JsonNode> states = recording.get("states").iterator();
        int step = 0;
        for (JsonNode op : recording.get("ops")) {
            switch (op.get(0).asText()) {
                case "a" -> allocate(allocator, op, live, step);
                case "f" -> allocator.free(live.remove(op.get(1).asInt()));
                case "r" ->
                    allocator.recordStream(
                            live.get(op.get(1).asInt()), op.get(2).asInt());
                case "d" -> allocator.dropPool(op.get(1).asInt());
                default -> allocator.emptyCache();
            }
            if (++step % 50 == 0) {
                compare(states.next(), allocator);
            }
        }
    }

    private static void allocate(CachingAllocator allocator, JsonNode op, Int2IntOpenHashMap live, int step) {
        int pool = op.get(4).asInt();
        if (pool > 0) {
            allocator.beginAllocateToPool(pool, stream -> true);
        }
        try {
            live.put(
                    op.get(1).asInt(),
                    allocator.allocate(op.get(2).asLong(), op.get(3).asInt()));
        } catch (OutOfMemoryException e) {
            assertEquals("oom", op.path(5).asText(), "op " + step);
        }
        if (pool > 0) {
            allocator.endAllocateToPool(pool);
            allocator.releasePool(pool);
        }
    }

    private static void compare(JsonNode expected, CachingAllocator allocator) {
        String at = " after " + expected.get("after");
        SortedMap<String, Long> stats = allocator.statistics().asMap();
        for (Map.Entry<String, JsonNode> stat : expected.get("stats").properties()) {
            assertEquals(stat.getValue().asLong(), stats.get(stat.getKey()), stat.getKey() + at);
        }
        List<String> recorded = new ArrayList<>();
        for (JsonNode s : expected.get("segments")) {
            recorded.add(s.get("size") + " " + s.get("type").asText() + " stream " + s.get("stream") + " pool "
                    + s.get("pool") + " expandable " + s.get("expandable"));
            s.get("blocks")
                    .forEach(b -> recorded.add("  " + b.get(0) + " " + b.get(2).asText()));
        }
        List<String> simulated = new ArrayList<>();
        for (Segment s : allocator.segments()) {
            simulated.add(s.size() + " " + (s.small() ? "small" : "large") + " stream " + s.stream() + " pool "
                    + s.pool() + " expandable " + s.expandable());
            s.blocks()
                    .forEach(
                            b -> simulated.add("  " + b.size() + " " + b.state().label()));
        }
        assertEquals(recorded, simulated, "segments" + at);
    }
}
