package dev.headroom.allocator.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that PyTorch's memory history tells of. */
class TraceInterpreterTest {
    /** Events as {@code action id}. */
    private static List<String> requests(String... events) {
        Written sink = new Written();
        TraceInterpreter interpreter = new TraceInterpreter(sink);
        for (String event : events) {
            String[] words = event.split(" ");
            interpreter.event(words[0], words.length > 1 ? Long.parseLong(words[1]) : 0, 512, 3);
        }
        interpreter.end();
        return sink.lines;
    }

    @Test
    void blocksThatAreFreeAtOnce() {
        assertEquals(
                List.of("allocate 1 512 3", "free 1"), requests("alloc 1", "free_requested 1", "free_completed 1"));
    }

    /** Something else happens before the block is free: another stream still uses it. */
    @Test
    void blocksThatWaitForAStream() {
        assertEquals(
                List.of("allocate 1 512 3", "later 1", "allocate 2 512 3", "completed 1"),
                requests("alloc 1", "free_requested 1", "alloc 2", "free_completed 1"));
        assertEquals(
                List.of("later 1", "completed 2"),
                requests("free_requested 1", "free_completed 2"),
                "the completion of another block");
        assertEquals(List.of("later 1"), requests("free_requested 1"));
        assertEquals(List.of("later 1", "later 2"), requests("free_requested 1", "free_requested 2"));
    }

    /** Segments go back, and nothing asked for memory: the cache was emptied. */
    @Test
    void emptiedCachesAreInferred() {
        assertEquals(List.of("empty"), requests("segment_free", "segment_free"));
        assertEquals(List.of("empty"), requests("segment_unmap"));
        assertEquals(List.of("empty", "allocate 1 512 3"), requests("segment_free", "alloc 1"));
        assertEquals(List.of("empty", "later 1"), requests("segment_free", "free_requested 1"));
        assertEquals(List.of("empty", "completed 1"), requests("segment_free", "free_completed 1"));
        assertEquals(List.of("allocate 1 512 3"), requests("segment_free", "segment_alloc", "alloc 1"));
        assertEquals(List.of("allocate 1 512 3"), requests("segment_unmap", "segment_map", "alloc 1"));
        assertEquals(List.of("failed 512 3"), requests("segment_free", "oom"));
    }

    @Test
    void marksSettleWhatIsOpen() {
        Written sink = new Written();
        TraceInterpreter interpreter = new TraceInterpreter(sink);
        interpreter.event("free_requested", 1, 512, 0);
        interpreter.event("segment_free", 0, 512, 0);
        interpreter.mark("forward", 2, 1);
        assertEquals(List.of("later 1", "empty", "mark forward 2 1"), sink.lines);
    }

    @Test
    void notesOfTheProgramAreNoRequests() {
        assertEquals(List.of(), requests("snapshot", "annotate", "user_defined", "segment_alloc"));
        assertThrows(IllegalArgumentException.class, () -> requests("allocate 1"));
    }
}
