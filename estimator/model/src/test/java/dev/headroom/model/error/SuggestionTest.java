package dev.headroom.model.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    private static final List<String> KNOWN = List.of("sgd", "sgd-momentum", "adam", "adamw", "rtx-3090");

    @Test
    void findsTheNearest() {
        assertEquals("adamw", Suggestion.nearest("adanw", KNOWN));
        assertEquals("sgd-momentum", Suggestion.nearest("sgd_momentun", KNOWN));
        assertEquals("rtx-3090", Suggestion.nearest("RTX 3090", KNOWN));
    }

    @Test
    void keepsQuietWhenNothingIsNear() {
        assertNull(Suggestion.nearest("lion", KNOWN));
        assertEquals("", Suggestion.of("x", List.of()));
    }
}
