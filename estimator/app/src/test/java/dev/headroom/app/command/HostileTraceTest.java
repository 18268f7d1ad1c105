package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a file holds, a replay ends with a result or with one line. */
class HostileTraceTest {
    private static final String PROGRAM = "{\"config\":{\"conf\":\"\",\"every\":1},\"ops\":";

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|neither JSON",
                "hello|neither JSON",
                "[1]|neither JSON",
                "{}|no array 'ops' or 'trace'",
                "{\"ops\":5}|no array 'ops' or 'trace'",
                "{\"config\":5,\"ops\":[]}|'config' is no object",
                "{\"config\":{\"conf\":{}},\"ops\":[]}|'conf' is no text",
                "{\"config\":{\"conf\":\"x:1\"},\"ops\":[]}|x",
                "{\"config\":{\"limit_bytes\":\"many\"},\"ops\":[]}|'limit_bytes' is no whole number",
                "{\"versions\":[],\"ops\":[]}|'versions' is no object",
                "{\"config\":{\"every\":1},\"ops\":[],\"trace\":[]}|one array of events",
                "{\"config\":{\"every\":1},\"ops\":[]}{}|goes on after its end",
                "{\"torch\":\"0.4\",\"ops\":[]}|2.1 is the oldest",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,0]|not JSON",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,0]]|not JSON",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,0],5]}|not of the documented form",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,0,1]]}|not of the documented form",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,-5,0]]}|not of the documented form",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,99999999999999999999,0]]}|out of range",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,99999999]]}|stream",
                "{\"config\":{\"every\":1},\"ops\":[[\"a\",0,512,0],[\"a\",0,512,0]]}|block 0",
                "{\"config\":{\"every\":1},\"ops\":[[\"f\",7]]}|frees block 7, which is not in use",
                "{\"config\":{\"every\":1},\"ops\":[[\"z\",7]]}|unknown operation 'z'",
                "{\"trace\":[[\"fly\",1,2,0]]}|unknown action 'fly'",
                "{\"trace\":[[\"alloc\",1]]}|not of the documented form",
            })
    void damagedJsonIsOneLine(String content, String part) throws IOException {
        refused(content.getBytes(StandardCharsets.UTF_8), part);
    }

    @Test
    void deepNestingIsOneLine() throws IOException {
        refused(("{\"x\":" + "[".repeat(100_000)).getBytes(StandardCharsets.UTF_8), "not JSON");
    }

    @Test
    void cutOffArchivesAreOneLine() throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write((PROGRAM + "[" + "[\"e\"],".repeat(5000) + "[\"e\"]]}").getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = zipped.toByteArray();
        for (int length : new int[] {2, 9, 20, whole.length - 9, whole.length - 1}) {
            refused(Arrays.copyOf(whole, length), "cut off");
        }
        whole[whole.length / 2] ^= 0x55;
        refused(whole, "");
    }

    @Test
    void cutOffSnapshotsAreOneLine() throws IOException {
        byte[] whole =
                Files.readAllBytes(TestFiles.fixtures().resolve("recordings/allocator/snapshots/default-p4.pickle"));
        for (int length = 1; length < whole.length; length = length * 2 + 1) {
            refused(Arrays.copyOf(whole, length), "ends too early");
        }
    }

    /** os.system("...") in a pickle, a set, an empty dictionary, no history. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0080\u0004cos\nsystem\n(X\u0004\u0000\u0000\u0000truetR.",
                "\u0080\u0004\u008c\u0002os\u008c\u0006system\u0093.",
                "\u0080\u0004\u008f.",
                "\u0080\u0004}.",
                "\u0080\u0004}(X\u0008\u0000\u0000\u0000segments]u.",
                "\u0080\u0009.",
                "\u0080\u0004h\u0005.",
                "(((((((.",
            })
    void hostilePicklesAreOneLine(String pickle) throws IOException {
        refused(pickle.getBytes(StandardCharsets.ISO_8859_1), "");
    }

    /** More than any device has: PyTorch would fail, and so does the replay, without an error of its own. */
    @Test
    void absurdRequestsOnlyFail() throws IOException {
        Path file = Files.writeString(
                folder.resolve("t.json"), PROGRAM + "[[\"a\",0," + Long.MAX_VALUE + ",0],[\"f\",0]]}");
        int status = run(file.toString());
        assertTrue(status == 3 || status == 2, err::toString);
        assertTrue(err.toString().lines().count() <= 1);
    }

    @Test
    void emptyProgramsHaveNoPeak() throws IOException {
        Path file = Files.writeString(folder.resolve("t.json"), PROGRAM + "[]}");
        assertEquals(0, run(file.toString()), err::toString);
        assertEquals(0, run(file.toString(), "--json"), err::toString);
        assertTrue(out.toString().endsWith("{\"states\":[]}\n"));
    }

    private void refused(byte[] content, String part) throws IOException {
        Path file = Files.write(folder.resolve("input"), content);
        for (String option : new String[] {"--torch=2.14", "--json"}) {
            err.getBuffer().setLength(0);
            assertEquals(2, run(file.toString(), option), () -> err + "" + out);
            assertEquals(1, err.toString().lines().count(), err::toString);
            assertTrue(err.toString().startsWith("headroom: ") && err.toString().contains(part), err::toString);
            assertTrue(err.toString().contains(file.getFileName().toString()), err::toString);
        }
    }

    private int run(String file, String... more) {
        String[] words = new String[2 + more.length];
        words[0] = "replay";
        words[1] = file;
        System.arraycopy(more, 0, words, 2, more.length);
        return new Cli(Services.REAL, false).run(new PrintWriter(out), new PrintWriter(err), words);
    }
}
