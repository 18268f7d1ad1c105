package dev.headroom.validation.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Reserved memory of torchtitan's eager runs. */
class TitanTest {
    private static final List<Figure> FIGURES = Titan.figures();

    @Test
    void eagerRunsAreMetWithinFourPercent() {
        assertEquals(5, FIGURES.size());
        FIGURES.forEach(f -> assertTrue(Math.abs(f.error()) < 0.035, f::row));
        assertEquals(4, FIGURES.stream().filter(f -> Math.abs(f.error()) < 0.03).count());
    }
}
