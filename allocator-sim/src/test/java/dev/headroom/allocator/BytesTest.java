package dev.headroom.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BytesTest {
    @Test
    void whatDoesNotFillAPartTakesOneMore() {
        assertEquals(0, Bytes.ceilDiv(0, 7));
        assertEquals(1, Bytes.ceilDiv(1, 7));
        assertEquals(2, Bytes.ceilDiv(14, 7));
        assertEquals(3, Bytes.ceilDiv(15, 7));
    }

    @Test
    void sizesAreRoundedToTheNextMultiple() {
        assertEquals(0, Bytes.roundUp(0, 512));
        assertEquals(512, Bytes.roundUp(1, 512));
        assertEquals(512, Bytes.roundUp(512, 512));
        assertEquals(2 * Bytes.MIB, Bytes.roundUp(Bytes.MIB + 1, Bytes.MIB));
    }
}
