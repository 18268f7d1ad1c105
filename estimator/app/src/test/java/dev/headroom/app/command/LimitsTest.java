package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What is said of memory that is not the card's own. */
class LimitsTest {
    private static final String MODEL = "predict ../../fixtures/models/small/gpt2.pt2 --batch 2 --gpu rtx-3090 ";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return new Cli(Services.REAL, false)
                .run(new PrintWriter(out), new PrintWriter(err), line.trim().split(" "));
    }

    @Test
    void whatIsLeftOfALimitIsNotOfTheCard() {
        assertEquals(0, run(MODEL + "--limit 1GiB"), err::toString);
        String verdict = String.join(" ", out.toString().lines().limit(2).toList());
        assertTrue(verdict.startsWith("Fits on NVIDIA GeForce RTX 3090 within 1.00 GiB: "), verdict);
        assertTrue(verdict.contains(" MiB free, "), verdict);
    }

    @Test
    void wordsWithoutEndAreOneLine() {
        assertEquals(2, run(MODEL + "a ".repeat(4096)), out::toString);
        assertTrue(err.toString().contains("; a command line has at most 4096"), err::toString);
        assertEquals(1, err.toString().lines().count());
    }

    @Test
    void memoryThatTheContextAloneExceedsIsOneLine() {
        assertEquals(2, run(MODEL + "--memory 100MiB"), out::toString);
        assertTrue(err.toString().startsWith("headroom: --memory: "), err::toString);
        assertEquals(1, err.toString().lines().count());
        assertEquals(2, run(MODEL + "--memory 400MiB --in-use 300MiB"), out::toString);
        assertTrue(err.toString().contains("headroom: --in-use: 314572800 bytes in use and "), err::toString);
    }
}
