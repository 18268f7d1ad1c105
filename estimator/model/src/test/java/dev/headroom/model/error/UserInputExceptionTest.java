package dev.headroom.model.error;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class UserInputExceptionTest {
    @Test
    void namesOutOfDamagedFilesDoNotBreakTheLine() {
        assertEquals("value a b c d", new UserInputException("value a\nb\r\nc" + (char) 0x85 + "d").getMessage());
    }

    @Property
    void everyMessageIsOneLine(@ForAll String text) {
        assertEquals(1, new UserInputException("x" + text).getMessage().lines().count());
    }
}
