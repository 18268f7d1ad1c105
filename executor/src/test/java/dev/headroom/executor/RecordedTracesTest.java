package dev.headroom.executor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.executor.tensor.MemoryLog;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models at full size: every allocation and every free of three steps is the recorded one, in its order. */
class RecordedTracesTest {
    private static final long GRANULE = 512;

    /** Larger blocks may be a little larger than asked for: what is left of a cached one is not cut off. */
    private static final long UNCUT = 1 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"seq2seq-gru", "cnn-small", "mlp-xor", "vgg16", "resnet50-b10-adagrad-cl-amp16"})
    void everyEventIsTheRecordedOne(String name) {
        Recording recording =
                Recording.read(Fixtures.recordings().resolve("traces").resolve(name + ".json.gz"));
        List<MemoryLog.Change> changes = Recorded.run(recording).eager().log().changes();
        Map<Long, Long> storages = new HashMap<>();
        int at = 0;
        long steps = 0;
        for (JsonNode event : recording.trace()) {
            String action = event.get(0).asText();
            if (action.equals("phase")) {
                steps += event.get(1).asText().equals("optimizer") ? 1 : 0;
            }
            boolean allocates = action.equals("alloc");
            if (steps == recording.config().path("steps").asLong() || !allocates && !action.equals("free_requested")) {
                continue; // what follows the last step is the end of the process
            }
            MemoryLog.Change change = changes.get(at++);
            String what = "event " + at + ": recorded " + event + ", executed " + change;
            if (allocates) {
                storages.put(event.get(1).asLong(), change.storage());
                assertTrue(sameSize(event.get(2).asLong(), change.bytes()), what);
            } else {
                assertTrue(change.bytes() < 0 && storages.get(event.get(1).asLong()) == change.storage(), what);
            }
        }
        assertTrue(steps > 0 && at == changes.size(), at + " recorded events, " + changes.size() + " executed ones");
    }

    private static boolean sameSize(long requested, long shown) {
        long rounded = (requested + GRANULE - 1) / GRANULE * GRANULE;
        return shown == rounded || rounded > UNCUT && shown > rounded && shown - rounded <= UNCUT;
    }
}
