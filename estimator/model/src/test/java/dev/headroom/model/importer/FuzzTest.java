package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Damaged archives give a graph or one line, never anything else. */
class FuzzTest {
    private static final byte[] ARCHIVE = Fixtures.resource("features-meta.pt2");

    private static void readOrExplain(byte[] bytes) throws IOException {
        Path file = Files.createTempFile("fuzz", ".pt2");
        try {
            Graph graph = Importers.read(Files.write(file, bytes));
            SymbolBinding.bind(graph, 3L, Map.of());
        } catch (UserInputException e) {
            assertFalse(e.getMessage().contains("\n"), e.getMessage());
        } finally {
            Files.delete(file);
        }
    }

    @Property(tries = 500)
    void damagedBytes(@ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int changes) throws IOException {
        byte[] bytes = ARCHIVE.clone();
        Random random = new Random(seed);
        for (int i = 0; i < changes; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        readOrExplain(bytes);
    }

    /** Damage inside the JSON documents, behind the zip's check sums. */
    @Property(tries = 500)
    void damagedDocuments(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int changes) throws IOException {
        Random random = new Random(seed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(ARCHIVE));
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                byte[] bytes = in.readAllBytes();
                zip.putNextEntry(new ZipEntry(entry.getName()));
                zip.write(entry.getName().endsWith(".json") ? damage(bytes, random, changes) : bytes);
            }
        }
        readOrExplain(out.toByteArray());
    }

    private static byte[] damage(byte[] bytes, Random random, int changes) {
        StringBuilder text = new StringBuilder(new String(bytes, StandardCharsets.UTF_8));
        String[] pieces = {
            "-", "9", "99999999999999999999", "null", "{", "}", "[", "]", "\"", ",", ":", "as_int", "name"
        };
        for (int i = 0; i < changes && text.length() > 1; i++) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, pieces[random.nextInt(pieces.length)]);
                case 2 -> text.setCharAt(at, (char) (32 + random.nextInt(95)));
                default -> replaceNumber(text, at, random);
            }
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void replaceNumber(StringBuilder text, int from, Random random) {
        for (int i = from; i < text.length(); i++) {
            if (Character.isDigit(text.charAt(i))) {
                text.replace(i, i + 1, Long.toString(random.nextLong() >> random.nextInt(60)));
                return;
            }
        }
    }
}
