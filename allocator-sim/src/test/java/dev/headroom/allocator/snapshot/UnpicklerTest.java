package dev.headroom.allocator.snapshot;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.Fixtures;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Plain data comes through; everything else is refused with one line. */
class UnpicklerTest {
    private static Object load(byte[] pickle) throws IOException {
        return new Unpickler(new ByteArrayInputStream(pickle)).load();
    }

    private static Object load(String latin1) throws IOException {
        return load(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void refused(String latin1, String part) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> load(latin1));
        assertTrue(e.getMessage().contains(part), e.getMessage());
        assertFalse(e.getMessage().contains("\n"), e.getMessage());
    }

    @Test
    void numbersAndTexts() throws IOException {
        assertEquals(-2L, load("J\u00fe\u00ff\u00ff\u00ff."));
        assertEquals(255L, load("\u008a\u0002\u00ff\u0000."));
        assertEquals(-1L, load("\u008a\u0001\u00ff."));
        assertEquals(0L, load("\u008a\u0000."));
        assertEquals(1.5, load("G?\u00f8\u0000\u0000\u0000\u0000\u0000\u0000."));
        assertEquals(12L, load("I12\n."));
        assertEquals(12L, load("L12L\n."));
        assertEquals("ab", load("X\u0002\u0000\u0000\u0000ab."));
        assertEquals(true, load("\u0080\u0002\u0088."));
    }

    @Test
    void codeIsRefusedByName() {
        refused("cos\nsystem\n(S'x'\ntR.", "os.system");
        refused("\u0080\u0004\u008c\u0002os\u008c\u0006system\u0093.", "os.system");
        refused("}}R.", "makes Python objects");
        refused("Pabc\n.", "refers to objects outside");
        refused("KxQ.", "refers to objects outside");
        refused("}}b.", "makes Python objects");
        refused("\u0082\u0001.", "refers to objects outside");
        refused("\u0080\u0006N.", "protocol 6");
    }

    @Test
    void bombsAreRefused() {
        refused("(".repeat(5000) + "l.", "nested too deeply");
        refused("]".repeat(100) + "a".repeat(99) + ".", "nested too deeply");
        refused("\u008d\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u007fab.", "declares a string");
        refused("X\u00ff\u00ff\u00ff\u007fab.", "declares a string");
        refused("X\u00ff\u00ff\u00ffoab.", "ends too early");
        refused("\u008b\u00ff\u00ff\u00ff\u007f.", "more than 64 bits");
        refused("Nr\u00ff\u00ff\u00ff\u007f.", "gaps");
        refused("j\u00ff\u00ff\u00ff\u007f.", "has not given");
        refused("I" + "9".repeat(5000) + "\n.", "line of more than");
        refused("I" + "9".repeat(30) + "\n.", "damaged integer");
    }

    @Test
    void damageIsNamed() {
        refused("", "ends too early");
        refused(".", "has not given");
        refused("N", "ends too early");
        refused("a.", "has not given");
        refused("NNa.", "no list");
        refused("(NNu.", "has not given");
        refused("e.", "lacks a mark");
        refused("\u00aa.", "unknown opcode");
    }

    @Test
    void otherPicklesAreNoSnapshots() {
        assertThrows(IllegalArgumentException.class, () -> new SnapshotReader().read(load("].")));
        assertThrows(IllegalArgumentException.class, () -> new SnapshotReader().read(load("}.")));
    }

    /** Else a small file could name one long list in a thousand places, each of which is read. */
    @Test
    void segmentsAndDevicesShareNoList() {
        String events = "]p0\n}(X\u0006\u0000\u0000\u0000actionX\u0005\u0000\u0000\u0000allocua";
        String pickle = "}(X\u0008\u0000\u0000\u0000segments]X\r\u0000\u0000\u0000device_traces](" + events;
        assertDoesNotThrow(() -> new SnapshotReader().read(load(pickle + "eu.")));
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new SnapshotReader().read(load(pickle + "g0\neu.")));
        assertTrue(e.getMessage().contains("share one list"), e.getMessage());
    }

    @Property(tries = 300)
    void damagedSnapshotsNeverEndInAnythingElse(@ForAll long seed) throws IOException {
        byte[] bytes = Files.readAllBytes(Fixtures.root().resolve("allocator/snapshots/default-p4.pickle"));
        Random random = new Random(seed);
        for (int i = random.nextInt(20); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        try {
            Snapshot snapshot = Snapshot.read(new ByteArrayInputStream(bytes));
            snapshot.write(new ByteArrayOutputStream());
        } catch (IllegalArgumentException e) {
            assertFalse(e.getMessage().isEmpty());
        }
    }
}
