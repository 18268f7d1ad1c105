package dev.headroom.app.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final String MODEL = "explain ../../fixtures/models/small/gpt2.pt2 --batch 2 ";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return new Cli(Services.REAL, false)
                .run(new PrintWriter(out), new PrintWriter(err), line.trim().split(" "));
    }

    @Test
    void fitsATerminal() {
        assertEquals(0, run(MODEL + "--gpu rtx-3090"), err::toString);
        String text = out.toString();
        text.lines().forEach(line -> {
            assertTrue(line.length() <= 79, line);
            assertFalse(line.matches(" *(bytes|KiB|MiB|GiB|%).*"), line);
            assertTrue(line.chars().allMatch(c -> c < 128), line);
        });
        assertTrue(text.contains("What makes the peak?"), text);
        assertTrue(text.indexOf("What makes the peak?") < text.indexOf("What would not help?"), text);
    }

    @Test
    void jsonHasTheSameAnswersWithAccountsThatAddUp() throws Exception {
        assertEquals(0, run(MODEL + "--gpu rtx-3090 --json"), err::toString);
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertEquals(2, json.at("/scenario/batch").asInt());
        assertEquals("peak", json.at("/findings/0/key").asText());
        assertFalse(json.at("/findings/0/answer/0").asText().isEmpty());
        for (JsonNode finding : json.get("findings")) {
            for (JsonNode account : finding.get("accounts")) {
                long sum = 0;
                for (JsonNode part : account.get("parts")) {
                    sum += part.get("bytes").asLong();
                }
                assertEquals(account.get("bytes").asLong(), sum, account.toString());
            }
        }
        assertTrue(json.get("warnings").isArray());
    }

    @Test
    void aRunThatDoesNotFitSaysSoFirst() {
        assertEquals(3, run(MODEL + "--limit 20MiB"), err::toString);
        assertTrue(out.toString().contains("Where and why does memory run out?"), out.toString());
    }

    @Test
    void optionsWithoutEffectAreNamed() {
        assertEquals(0, run(MODEL + "--inference --accumulate 2 --gpu rtx-3090"), err::toString);
        assertTrue(out.toString().contains("warning: --accumulate has no effect with --inference"), out.toString());
    }

    @Test
    void badInputIsOneLine() {
        assertEquals(2, run("explain nowhere.pt2 --batch 2"));
        assertEquals(1, err.toString().lines().count());
        assertTrue(out.toString().isEmpty());
    }
}
