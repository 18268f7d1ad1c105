package dev.headroom.allocator.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Opcodes of all protocols as Python's pickle reads them, and what is written comes back. */
class PickleTest {
    private static Object load(byte[] pickle) throws IOException {
        return new Unpickler(new ByteArrayInputStream(pickle)).load();
    }

    /** A value in Python's words. */
    private static String words(Object value) {
        if (value instanceof PickleList list) {
            List<String> items = new ArrayList<>();
            for (int i = 0; i < list.size(); i++) {
                items.add(words(list.get(i)));
            }
            return items.toString();
        }
        if (value instanceof PickleDict dict) {
            List<String> items = new ArrayList<>();
            for (int i = 0; i < dict.size(); i++) {
                items.add(words(dict.key(i)) + ": " + words(dict.value(i)));
            }
            return "{" + String.join(", ", items) + "}";
        }
        return String.valueOf(value);
    }

    private static String read(String latin1) throws IOException {
        return words(load(latin1.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static void refused(String latin1, String part) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(latin1));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Example
    void listsAndTuples() throws IOException {
        assertEquals("[]", read(")."));
        assertEquals("[]", read("]."));
        assertEquals("[1]", read("K\u0001\u0085."));
        assertEquals("[1, 2]", read("K\u0001K\u0002\u0086."));
        assertEquals("[1, 2, 3]", read("K\u0001K\u0002K\u0003\u0087."));
        assertEquals("[1, 2]", read("(K\u0001K\u0002t."));
        assertEquals("[1, 2]", read("(K\u0001K\u0002l."));
        assertEquals("[1]", read("]K\u0001a."));
        assertEquals("[1, 2]", read("](K\u0001K\u0002e."));
        assertEquals(
                "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
                read("](" + "K\u0001K\u0002K\u0003K\u0004K\u0005K\u0006K\u0007K\u0008K\u0009e."));
    }

    @Example
    void dictionaries() throws IOException {
        assertEquals("{1: true}", read("}K\u0001\u0088s."));
        assertEquals("{1: false, 2: null}", read("}(K\u0001\u0089K\u0002Nu."));
        assertEquals("{1: 2}", read("(K\u0001K\u0002d."));
        refused("}(K\u0001u.", "sets items");
        refused("]K\u0001K\u0002s.", "sets items");
        PickleDict twice =
                (PickleDict) load("}(\u008c\u0001aK\u0001\u008c\u0001aK\u0002u.".getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(2L, twice.get("a"), "the last of equal keys counts");
        assertEquals(null, twice.get("b"));
    }

    @Example
    void theStack() throws IOException {
        assertEquals("1", read("K\u0001K\u00020."));
        assertEquals("1", read("K\u0001(K\u0002K\u00031."));
        assertEquals("[1, 1]", read("K\u00012\u0086."));
        refused("(.", "has not given");
        refused("(0.", "has not given");
    }

    /** Values that were numbered are the same objects again. */
    @Example
    void theMemo() throws IOException {
        assertEquals("[7, 8, 7]", read("(K\u0007\u0094K\u0008\u0094h\u0000t."));
        assertEquals("[7, 7]", read("(K\u0007q\u0000h\u0000t."));
        assertEquals("[7, 7]", read("(K\u0007r\u0000\u0000\u0000\u0000j\u0000\u0000\u0000\u0000t."));
        assertEquals("[7, 7]", read("(K\u0007p0\ng0\nt."));
        assertEquals("[7, 8, 8]", read("(K\u0007q\u0000K\u0008q\u0000h\u0000t."), "numbered anew");
        refused("K\u0007q\u0001.", "gaps");
        refused("K\u0007p-1\n.", "gaps");
        refused("K\u0007g-1\n.", "has not given");
        refused("K\u0007\u0094h\u0001.", "has not given");
    }

    @Example
    void numbersAndTextsOfOldProtocols() throws IOException {
        assertEquals("258", read("M\u0002\u0001."));
        assertEquals("-5", read("I-5\n."));
        assertEquals("1.25", read("F1.25\n."));
        assertEquals("ab", read("Vab\n."));
        assertEquals("ab", read("\u008c\u0002ab."));
        assertEquals("ab", read("\u008d\u0002\u0000\u0000\u0000\u0000\u0000\u0000\u0000ab."));
        assertEquals("513", read("\u008b\u0002\u0000\u0000\u0000\u0001\u0002."));
        assertEquals("1", read("\u0080\u0005\u0095\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000K\u0001."));
        assertEquals(
                "-1", read("\u008a\u0009\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0000."), "unsigned, 64 bits");
        refused("Fx\n.", "damaged number");
        refused("\u008a\n" + "\u0000".repeat(10) + ".", "more than 64 bits");
        refused("\u008a\u0009" + "\u0000".repeat(8) + "\u0001.", "more than 64 bits");
    }

    @Example
    void everyOpcodeThatMakesObjectsIsRefused() {
        for (char opcode : new char[] {'R', 'b', 'i', 'o', '\u0081', '\u0092'}) {
            refused("NN" + opcode, "makes Python objects");
        }
        for (char opcode : new char[] {'P', 'Q', '\u0082', '\u0083', '\u0084', '\u0097', '\u0098'}) {
            refused("NN" + opcode, "refers to objects outside");
        }
        for (char opcode : new char[] {'B', 'C', 'T', 'U', 'S', '\u008e', '\u008f', '\u0090', '\u0091', '\u0096'}) {
            refused("NN" + opcode, "byte strings or sets");
        }
        refused("c" + "x".repeat(100) + "\ny z\n.", "'" + "x".repeat(60) + ".y?z'");
        refused("\u0093", "'.'");
    }

    /** A nesting of 64 is read, one more is not. */
    @Example
    void nestingIsBounded() throws IOException {
        assertFalse(read("]".repeat(64) + "a".repeat(63) + ".").isEmpty());
        refused("]".repeat(66) + "a".repeat(65) + ".", "nested too deeply");
        assertEquals("1", read("(".repeat(1024) + "1".repeat(0) + "K\u0001."));
        refused("(".repeat(1025) + "K\u0001.", "nested too deeply");
    }

    /** Marks that were used up count no more. */
    @Example
    void marksAreGivenBack() throws IOException {
        assertEquals("1", read("(t0".repeat(5000) + "K\u0001."));
        assertEquals("1", read("(1".repeat(5000) + "K\u0001."));
    }

    @Property(tries = 500)
    void integersComeBack(@ForAll long value) throws IOException {
        assertEquals(value, load(written(out -> out.integer(value))));
    }

    @Example
    void integersAtTheEdgesComeBack() throws IOException {
        for (int bits = 0; bits < 64; bits++) {
            for (long near : new long[] {-1, 0, 1}) {
                for (long sign : new long[] {1, -1}) {
                    long value = sign * (1L << bits) + near;
                    assertEquals(value, load(written(out -> out.integer(value))), Long.toString(value));
                }
            }
        }
        assertEquals(3 + 2, written(out -> out.integer(255)).length, "header, end, opcode and one byte");
        assertEquals(3 + 3, written(out -> out.integer(256)).length);
        assertEquals(3 + 5, written(out -> out.integer(65536)).length);
        assertEquals(3 + 5, written(out -> out.integer(-1)).length);
        assertEquals(3 + 7, written(out -> out.integer(1L << 32)).length);
    }

    @Property(tries = 100)
    void textsComeBack(@ForAll String text, @ForAll @IntRange(max = 600) int more) throws IOException {
        String value = text + "x".repeat(more);
        assertEquals(value, load(written(out -> out.string(value))));
    }

    /** A text that comes again is a reference, also when there are more than one byte can number. */
    @Example
    void textsAreWrittenOnce() throws IOException {
        byte[] pickle = written(out -> {
            out.emptyList();
            out.mark();
            for (int i = 0; i < 600; i++) {
                out.string("text " + i % 300);
            }
            out.appends();
        });
        PickleList list = (PickleList) load(pickle);
        assertEquals(600, list.size());
        for (int i = 0; i < 600; i++) {
            assertEquals("text " + i % 300, list.get(i));
        }
        String text = new String(pickle, StandardCharsets.ISO_8859_1);
        assertEquals(text.indexOf("text 299"), text.lastIndexOf("text 299"));
    }

    @Example
    void otherValuesComeBack() throws IOException {
        byte[] pickle = written(out -> {
            out.beginDict();
            out.string("a");
            out.number(-0.8);
            out.string("b");
            out.bool(true);
            out.string("c");
            out.bool(false);
            out.string("d");
            out.integer(1);
            out.integer(2);
            out.tuple2();
            out.endDict();
        });
        assertEquals("{a: -0.8, b: true, c: false, d: [1, 2]}", words(load(pickle)));
    }

    private interface Content {
        void to(PickleOutput out) throws IOException;
    }

    private static byte[] written(Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PickleOutput out = new PickleOutput(bytes);
        content.to(out);
        out.finish();
        return bytes.toByteArray();
    }
}
