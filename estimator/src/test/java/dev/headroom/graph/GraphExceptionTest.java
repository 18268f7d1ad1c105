package dev.headroom.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class GraphExceptionTest {
    @Test
    void namesOutOfDamagedFilesDoNotBreakTheLine() {
        assertEquals("value a b c d", new GraphException("value a\nb\r\nc" + (char) 0x85 + "d").getMessage());
    }

    @Property
    void everyMessageIsOneLine(@ForAll String text) {
        assertEquals(1, new GraphException("x" + text).getMessage().lines().count());
    }
}
