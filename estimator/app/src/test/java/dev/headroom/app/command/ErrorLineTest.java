package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the one line says, and whose fault it is. */
class ErrorLineTest {
    @Test
    void whatIsTooLargeOrTooDeepIsBadInput() {
        assertTrue(ErrorLine.isBadInput(new OutOfMemoryError()));
        assertTrue(ErrorLine.of(new OutOfMemoryError()).contains("Java's heap"));
        assertTrue(ErrorLine.isBadInput(new StackOverflowError()));
        assertTrue(ErrorLine.of(new StackOverflowError()).contains("nested more deeply"));
    }

    @Test
    void otherFailuresAreDefects() {
        assertFalse(ErrorLine.isBadInput(new IllegalStateException("no")));
        assertTrue(ErrorLine.of(new IllegalStateException("no")).contains("please report it"));
    }

    @Test
    void aLineIsOneLine() {
        String line = ErrorLine.of(new UserInputException("one\nand\u0007 another"));
        assertTrue(line.startsWith("headroom: one"), line);
        assertEquals(0, line.chars().filter(Character::isISOControl).count(), line);
    }

    @Test
    void linesOfAMessageAreJoined() {
        String line =
                ErrorLine.of(new ParameterException(new CommandLine(CommandSpec.create()), " one \r\n\n two --help"));
        assertEquals("headroom: one two --help", line);
    }

    /** With a pattern that tries every space as the first before a new line, a run of them takes minutes. */
    @Test
    void whatIsQuotedMayBeLong() {
        String line = ErrorLine.of(new UserInputException("f.yaml:3: no (" + " ".repeat(1 << 20) + "); write another"));
        assertTrue(line.startsWith("headroom: f.yaml:3: no ("), line);
        assertTrue(line.endsWith("); write another"), line);
        assertTrue(line.length() < 5000);
    }
}
