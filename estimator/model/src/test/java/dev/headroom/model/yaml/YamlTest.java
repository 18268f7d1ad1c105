package dev.headroom.model.yaml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import org.junit.jupiter.api.Test;

/** Lines of a loop's file. */
class YamlTest {
    private static final int LONGEST = 1 << 16;

    @Test
    void aLineThatNobodyWouldWriteIsRefused() {
        String text = "steps:\n  - " + "a".repeat(LONGEST) + "\n";
        String said = assertThrows(UserInputException.class, () -> Yaml.parse("loop.yaml", text))
                .getMessage();
        assertEquals("loop.yaml:2: a line has at most 65536 characters, this one 65540", said);
    }

    @Test
    void theLongestLineIsRead() {
        Yaml read = Yaml.parse("loop.yaml", "key: " + "a".repeat(LONGEST - 5));
        assertTrue(read.isMap());
    }
}
