package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private String shown(boolean terminal, long patience, long all) {
        PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        try (Progress progress = new Progress("Simulating", terminal, patience, err)) {
            for (long i = 1; i <= 10; i++) {
                progress.at(i, all);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void showsABarOnATerminal() {
        String text = shown(true, -1, 10);
        assertTrue(text.contains("Simulating"), text);
        assertTrue(text.contains("10/10"), text);
        assertTrue(text.lines().allMatch(line -> line.length() <= 240), text);
    }

    @Test
    void countsWhereTheEndIsOpen() {
        assertTrue(shown(true, -1, -1).contains("10/?"), bytes::toString);
    }

    @Test
    void showsNothingForWhatIsQuickNorToAFile() {
        assertEquals("", shown(true, Long.MAX_VALUE, 10));
        assertEquals("", shown(false, -1, 10));
    }
}
