package dev.headroom.model.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BriefTextTest {
    private static final String NAME = "model.layers.0.self_attn.q_proj";

    @Test
    void isTheTextToExpressions() {
        Matcher matcher = Pattern.compile("(.*)\\.(q|v)_proj").matcher(new BriefText(NAME));
        assertTrue(matcher.matches());
        assertEquals("q", matcher.group(2));
        assertEquals(NAME, new BriefText(NAME).toString());
        assertFalse(Pattern.compile("layers").matcher(new BriefText(NAME)).lookingAt());
    }

    @Test
    void endsWhatWouldGoOnForYears() {
        Matcher matcher = Pattern.compile("((.|.)*)*x").matcher(new BriefText(NAME));
        UserInputException e = assertThrows(UserInputException.class, matcher::matches);
        assertTrue(e.getMessage().contains(NAME), e.getMessage());
    }
}
