package dev.headroom.model.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

class WildcardsTest {
    @Property
    void theyMeanWhatTheirRegularExpressionDoes(
            @ForAll @Chars({'a', 'b', '.', '*', '?'}) @StringLength(max = 7) String pattern,
            @ForAll @Chars({'a', 'b', '.'}) @StringLength(max = 9) String name) {
        String expression = pattern.replace(".", "\\.").replace("?", ".").replace("*", ".*");
        assertEquals(Pattern.matches(expression, name), Wildcards.fit(pattern, name));
    }

    @Example
    void manyAsterisksTakeNoLonger() {
        String name = "encoder.layers.".repeat(1000);
        assertFalse(Wildcards.fit("*".repeat(5000) + ".bias", name));
        assertTrue(Wildcards.fit("*e".repeat(1000) + "*", name));
    }

    @Example
    void charactersOfRegularExpressionsAreThemselves() {
        assertTrue(Wildcards.fit("a+(b*", "a+(bc"));
        assertFalse(Wildcards.fit("a+", "aa"));
        assertFalse(Wildcards.fit("a", "a\0"));
        assertTrue(Wildcards.fit("", ""));
        assertFalse(Wildcards.fit("?", ""));
    }
}
