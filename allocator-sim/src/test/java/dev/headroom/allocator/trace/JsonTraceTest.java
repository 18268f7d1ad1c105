package dev.headroom.allocator.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Allocator programs and recordings of runs in JSON. */
class JsonTraceTest {
    @TempDir
    Path folder;

    private JsonTrace open(String json) throws IOException {
        return JsonTrace.open(Files.writeString(folder.resolve("run.json"), json));
    }

    private static List<String> played(Trace trace) throws IOException {
        Written sink = new Written();
        trace.play(sink);
        return sink.lines;
    }

    @Test
    void programs() throws IOException {
        JsonTrace trace = open("""
                {"config": {"conf": "max_split_size_mb:64", "limit_bytes": 7, "every": 50, "no_blocks": true, "x": [1]},
                 "total_bytes": 1000, "other": {"a": [1]},
                 "ops": [["a", 1, 512, 0], ["a", 2, 99, 3, "oom"], ["f", 1], ["e"]], "states": [1]}""");
        assertTrue(trace.isProgram());
        assertEquals(50, trace.every());
        assertFalse(trace.recordsBlocks());
        assertEquals(1000, trace.totalBytes());
        assertEquals("run.json", trace.name());
        assertEquals("max_split_size_mb:64", trace.settings().text());
        assertEquals(7, trace.settings().allowedBytes(1000));
        assertEquals(List.of("allocate 1 512 0", "failed 99 3", "free 1", "empty"), played(trace));
        assertEquals(4, played(trace).size(), "as often as one likes");
    }

    @Test
    void runs() throws IOException {
        JsonTrace trace = open("""
                {"versions": {"python": "3.11", "torch": "2.9.0"}, "config": {"alloc_conf": "", "conf": null},
                 "trace": [["phase", "forward", 0, 2], ["alloc", 1, 512, 0, 4096, {"a": []}],
                           ["phase", "backward", null, null], ["free_requested", 1, 512],
                           ["free_completed", 1, 512, 0]]}""");
        assertFalse(trace.isProgram());
        assertTrue(trace.recordsBlocks());
        assertEquals(0, trace.every());
        assertEquals(0, trace.totalBytes());
        assertFalse(trace.settings().profile().olderSegmentFirst(), "as before 2.13");
        assertEquals(Long.MAX_VALUE, trace.settings().allowedBytes(1000));
        assertEquals(List.of("mark forward 0 2", "allocate 1 512 0", "mark backward -1 -1", "free 1"), played(trace));
    }

    @Test
    void marksOfPhasesMayBeShort() throws IOException {
        assertEquals(
                List.of("mark wrap -1 -1", "mark forward 1 -1", "allocate 1 512 0"),
                played(open("{\"trace\": [[\"phase\", \"wrap\"], [\"phase\", \"forward\", 1], [\"alloc\", 1, 512]]}")));
    }

    @Test
    void theVersionMayStandAlone() throws IOException {
        assertFalse(
                open("{\"torch\": \"2.9\", \"ops\": []}").settings().profile().olderSegmentFirst());
        assertTrue(open("{\"torch\": null, \"ops\": []}").settings().profile().olderSegmentFirst());
        assertEquals(
                0,
                open("{\"config\": {\"limit_bytes\": 0}, \"ops\": []}")
                        .settings()
                        .allowedBytes(9));
    }

    /** What a program may not contain, and where it is told to be. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|not a JSON object",
                "{}|no array 'ops' or 'trace'",
                "{\"ops\": 3}|no array 'ops' or 'trace'",
                "{\"ops\": []|not JSON",
                "{\"ops\": []} 1|goes on after its end",
                "{\"ops\": [], \"trace\": []}|'trace' after 'ops'",
                "{\"ops\": [[3]]}|an operation without a name at byte 11",
                "{\"ops\": [[\"x\"]]}|unknown operation 'x' at byte",
                "{\"ops\": [[\"a\", -1, 5, 0]]}|not of the documented form at byte",
                "{\"ops\": [[\"a\", 0, 0, 0]]}|not of the documented form at byte",
                "{\"ops\": [[\"a\", 0, 5, -1]]}|not of the documented form at byte",
                "{\"ops\": [[\"a\", 0, 5, 0, \"boom\"]]}|not of the documented form at byte",
                "{\"ops\": [[\"a\", 0, 5, 0, \"oom\", 1]]}|not of the documented form at byte",
                "{\"ops\": [[\"f\", -1]]}|not of the documented form at byte",
                "{\"ops\": [[\"f\", 1, 1]]}|not of the documented form at byte",
                "{\"ops\": [[\"e\", 1]]}|not of the documented form at byte",
                "{\"ops\": [[\"e\"], 1]}|not of the documented form at byte",
                "{\"trace\": [[3]]}|an event without an action at byte",
                "{\"trace\": [[\"phase\", 3]]}|not of the documented form at byte",
                "{\"trace\": [[\"alloc\", \"a\", 1]]}|not of the documented form at byte",
                "{\"trace\": [[\"alloc\", 1, -1]]}|not of the documented form at byte",
                "{\"trace\": [[\"alloc\", 1, 1, -1]]}|not of the documented form at byte",
                "{\"trace\": [[\"alloc\", 1, 1], 1]}|not of the documented form at byte",
                "{\"trace\": [[\"grow\", 1, 1]]}|unknown action 'grow' at byte",
                "{\"config\": 3, \"ops\": []}|'config' is no object",
                "{\"versions\": [], \"ops\": []}|'versions' is no object",
                "{\"torch\": 2, \"ops\": []}|'torch' is no text",
                "{\"total_bytes\": \"a\", \"ops\": []}|'total_bytes' is no whole number",
                "{\"total_bytes\": 1.5, \"ops\": []}|'total_bytes' is no whole number",
            })
    void damageIsNamed(String json, String message) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> played(open(json)));
        assertTrue(e.getMessage().startsWith(folder.resolve("run.json") + ": "), e.getMessage());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void filesAreToldApartByTheirFirstByte() throws IOException {
        Path json = Files.writeString(folder.resolve("a"), " \t\r\n{\"ops\": []}");
        assertInstanceOf(JsonTrace.class, TraceFile.open(json));
        Path zipped = folder.resolve("b");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            out.write("{\"ops\": [[\"e\"]]}".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(List.of("empty"), played(TraceFile.open(zipped)));
        for (String other : List.of("", "hello", "\u001f", "[]")) {
            Path file = Files.writeString(folder.resolve("c"), other, StandardCharsets.ISO_8859_1);
            String said = assertThrows(IllegalArgumentException.class, () -> TraceFile.open(file))
                    .getMessage();
            assertTrue(said.contains("neither JSON"), said);
        }
        for (String pickle : List.of("}", "(", "\u0080\u0002}.")) {
            Path file = Files.writeString(folder.resolve("d"), pickle, StandardCharsets.ISO_8859_1);
            String said = assertThrows(IllegalArgumentException.class, () -> TraceFile.open(file))
                    .getMessage();
            assertFalse(said.contains("neither JSON"), said);
        }
    }
}
