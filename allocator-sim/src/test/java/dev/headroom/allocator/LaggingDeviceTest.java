package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.allocator.AllocatorListener.Action;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Blocks that other streams use come back as far as the host has waited for the device. */
class LaggingDeviceTest {
    private static final long MIB = 1 << 20;

    private static CachingAllocator allocator() {
        return new CachingAllocator(AllocatorSettings.parse(""), new SimulatedDeviceMemory(1L << 40, 0));
    }

    @Test
    void aBlockComesBackOnceItsEventIsReached() {
        CachingAllocator a = allocator();
        a.deviceLags();
        int first = a.allocate(64 * MIB, 0);
        a.recordStream(first, 1);
        a.free(first);
        long after = a.mark();
        int second = a.allocate(64 * MIB, 0);
        a.recordStream(second, 1);
        a.free(second);
        a.allocate(64 * MIB, 0);
        assertEquals(192 * MIB, a.statistics().reservedBytes().current());
        a.reached(after);
        a.allocate(64 * MIB, 0);
        assertEquals(192 * MIB, a.statistics().reservedBytes().current());
        a.allocate(64 * MIB, 0);
        assertEquals(256 * MIB, a.statistics().reservedBytes().current());
    }

    static List<Path> traces() {
        return Fixtures.withTrace("parallel");
    }

    /** Where the recorded run let blocks go late, waiting for the last of their events lets go of exactly these. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("traces")
    void waitingLetsGoOfWhatTheRecordedRunLetGoOf(Path file) {
        JsonNode recording = Fixtures.read(file);
        String conf = recording.path("config").path("alloc_conf").asText("");
        CachingAllocator a =
                new CachingAllocator(AllocatorSettings.parse(conf), new SimulatedDeviceMemory(1L << 40, 0));
        a.deviceLags();
        List<JsonNode> trace = new ArrayList<>();
        recording.path("trace").forEach(trace::add);
        Map<Integer, Integer> blocks = new HashMap<>();
        Map<Integer, Long> marks = new HashMap<>();
        int[] completed = {0};
        a.setListener(
                (action, address, bytes, stream, pool) -> completed[0] += action == Action.FREE_COMPLETED ? 1 : 0);
        int expected = 0;
        for (int i = 0; i < trace.size(); i++) {
            JsonNode e = trace.get(i);
            int id = e.path(1).asInt();
            switch (e.path(0).asText()) {
                case "alloc" -> {
                    blocks.put(id, a.allocate(e.path(2).asLong(), e.path(3).asInt()));
                    assertEquals(expected, completed[0], "blocks that came back before event " + i);
                }
                case "free_requested" -> {
                    int block = blocks.get(id);
                    if (!completesAtOnce(trace, i)) {
                        a.recordStream(block, e.path(3).asInt() + 1);
                    }
                    a.free(block);
                    marks.put(id, completesAtOnce(trace, i) ? 0L : a.mark());
                }
                case "free_completed" -> {
                    expected++;
                    a.reached(marks.get(id));
                }
                case "segment_free" -> a.emptyCache();
                default -> {}
            }
        }
        JsonNode end = recording.path("final");
        assertEquals(
                end.path("max_allocated").asLong(),
                a.statistics().allocatedBytes().peak());
        assertEquals(
                end.path("max_reserved").asLong(),
                a.statistics().reservedBytes().peak());
    }

    private static boolean completesAtOnce(List<JsonNode> trace, int request) {
        JsonNode next = request + 1 < trace.size() ? trace.get(request + 1) : trace.get(request);
        return next.path(0).asText().equals("free_completed")
                && next.path(1).equals(trace.get(request).path(1));
    }
}
