package dev.headroom.validation.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Good files with a few random edits, the same in each build; {@code -Dheadroom.fuzz.tries=1000
 * -Dheadroom.fuzz.from=7} tries more, and others. Jazzer goes further, this is there in seconds.
 */
class RandomEditsTest {
    private static final int TRIES = Integer.getInteger("headroom.fuzz.tries", 10);
    private static final int FROM = Integer.getInteger("headroom.fuzz.from", 0);
    private static final int MOST_EDITS = 3;
    private static final int HEAD = 2;
    private static final int EDIT = 8;

    @ParameterizedTest
    @EnumSource(Reader.class)
    void answers(Reader reader) throws IOException {
        Random random = new Random(31L * reader.name().hashCode() + FROM);
        List<String> defects = new ArrayList<>();
        try (Judge judge = new Judge()) {
            for (int i = 0; i < TRIES; i++) {
                byte[] bytes = new byte[HEAD + EDIT * (1 + random.nextInt(MOST_EDITS))];
                random.nextBytes(bytes);
                bytes[0] = (byte) reader.ordinal();
                byte[] file = Program.of(bytes).file();
                judge.defect(reader, file).ifPresent(d -> {
                    Fuzzing.keep(reader, file, d);
                    defects.add(HexFormat.of().formatHex(bytes) + ": " + d);
                });
            }
        }
        assertEquals(List.of(), defects);
    }
}
