package dev.headroom.validation.fuzz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.validation.fuzz.Program.Edit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The fuzzer's own tools: an edit changes a file, none leaves it as it was, and inputs are kept. */
class EditsTest {
    private static final int KINDS = 256;

    @ParameterizedTest
    @EnumSource(Reader.class)
    void editsChangeFiles(Reader reader) {
        for (int seed = 0; seed < reader.seeds(); seed++) {
            byte[] good = reader.unchanged(seed);
            int number = seed;
            long changed = Stream.iterate(0, kind -> kind < KINDS, kind -> kind + 16)
                    .map(kind -> new Edit(12_345, kind, 777))
                    .map(edit -> reader.form().edited(reader.seed(number), new Program(reader, number, List.of(edit))))
                    .filter(file -> !java.util.Arrays.equals(file, good))
                    .count();
            assertTrue(changed >= 8, reader + " " + seed + ": " + changed + " of 16 edits change it");
        }
    }

    /** Where edits broke the form of a file, its reader would never come to what it does with the content. */
    @ParameterizedTest
    @EnumSource(
            value = Reader.class,
            names = {"CONFIG", "DEEPSPEED", "COMPILED_PLAN", "WEIGHTS", "ONNX", "GRID", "RECORDING"})
    void manyFilesAreReadToTheEnd(Reader reader) throws IOException {
        int results = 0;
        try (Judge judge = new Judge()) {
            for (int i = 0; i < 40; i++) {
                Edit edit = new Edit(7 * i, (13 * i) % 176, 1_234_567 * i);
                byte[] file = new Program(reader, i % reader.seeds(), List.of(edit)).file();
                results += judge.answer(reader, file).isResult() ? 1 : 0;
            }
        }
        assertTrue(results >= 12, reader + ": " + results + " of 40 give a result");
    }

    @Test
    void settingsComeWithValuesThatTheirHelpNames() {
        assertTrue(SettingWords.named("amp").takesValue());
        assertTrue(SettingWords.named("amp").values().contains("bf16"));
        assertTrue(SettingWords.named("optimizer").values().contains("adamw"));
        assertFalse(SettingWords.named("fused").takesValue());
        assertEquals(List.of(), SettingWords.named("no-such-setting").values());
    }

    @Test
    void messagesOfProtobufAreWrittenAsTheyWereRead() {
        for (int seed = 0; seed < Reader.ONNX_OPERATORS.seeds(); seed++) {
            byte[] file = Reader.ONNX_OPERATORS.seed(seed);
            assertFalse(Wire.read(file).isEmpty());
            assertArrayEquals(file, Wire.write(Wire.read(file)), "seed " + seed);
        }
    }

    @Test
    void bytesThatAreNoMessageHaveNoFields() {
        assertEquals(List.of(), Wire.read(HexFormat.of().parseHex("0aff01")), "a field longer than the rest");
        assertEquals(List.of(), Wire.read(HexFormat.of().parseHex("08")), "a number that does not come");
        assertEquals(List.of(), Wire.read(HexFormat.of().parseHex("0b")), "a group");
    }

    @Test
    void keptInputsNameReadersAndSeeds(@TempDir Path folder) throws IOException {
        Corpus.write(folder);
        List<String> lines = Files.readAllLines(Corpus.file());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(lines.size(), files.count(), "a line of a reader that is gone");
        }
        String[] first = lines.get(0).split(" ");
        Program program = Program.of(Files.readAllBytes(folder.resolve("kept-0")));
        assertEquals(Reader.valueOf(first[0]), program.reader());
        assertEquals(Integer.parseInt(first[1]), program.seed());
        assertEquals(first[2].length() / 16, program.edits().size());
    }
}
