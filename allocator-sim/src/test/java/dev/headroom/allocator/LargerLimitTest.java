package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A program may fit in a limit and not in a larger one. PyTorch itself behaves so: with less memory the cache is
 * returned earlier, and later blocks lie elsewhere. No verdict may therefore assume that more memory is enough.
 */
class LargerLimitTest {
    @Test
    void aLargerLimitMayFailWhereASmallerOneDoesNot() {
        JsonNode recording =
                Fixtures.read(Fixtures.recordings("allocator/limits").get(0));
        for (Map.Entry<String, JsonNode> limit : recording.get("fails_at").properties()) {
            long bytes = Long.parseLong(limit.getKey()) << 20;
            assertEquals(limit.getValue().asInt(), failsAt(recording, bytes), limit.getKey() + " MiB");
        }
    }

    private static int failsAt(JsonNode recording, long limit) {
        CachingAllocator allocator = new CachingAllocator(
                AllocatorSettings.defaults().withLimitBytes(limit),
                new SimulatedDeviceMemory(recording.get("total_bytes").asLong()));
        Int2IntOpenHashMap live = new Int2IntOpenHashMap();
        int step = 0;
        for (JsonNode op : recording.get("ops")) {
            int id = op.get(1).asInt();
            if (op.get(0).asText().equals("f")) {
                allocator.free(live.remove(id));
            } else {
                try {
                    live.put(id, allocator.allocate(op.get(2).asLong(), 0));
                } catch (OutOfMemoryException e) {
                    return step;
                }
            }
            step++;
        }
        return -1;
    }
}
