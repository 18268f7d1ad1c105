package dev.headroom.advisor.plans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The largest size whose risk is small, of risks that grow with the size. */
class SafeSizeSearchTest {
    /** Passes 5 % at {@code boundary}. */
    private static LongToDoubleFunction risk(double boundary, double width) {
        return size -> 1 / (1 + 19 * Math.exp((boundary - size) / width));
    }

    @Property
    void itIsSafeAndWithinAHundredthOfWhatIsNot(
            @ForAll @IntRange(min = 1, max = 3000) int steps,
            @ForAll @IntRange(min = 1, max = 8) int step,
            @ForAll @IntRange(min = 0, max = 100) int percent,
            @ForAll @IntRange(min = 1, max = 500) int width) {
        long largest = (long) steps * step;
        LongToDoubleFunction risk = risk(largest * percent / 100.0, width);
        Long found = new SafeSizeSearch(risk, largest, step).find();
        if (found == null) {
            assertTrue(risk.applyAsDouble(step) > Largest.RISK);
            return;
        }
        assertTrue(risk.applyAsDouble(found) <= Largest.RISK);
        long fine = Math.max(1, steps / 100) * (long) step;
        assertTrue(found == largest || risk.applyAsDouble(found + fine) > Largest.RISK, found + " of " + largest);
    }

    @Test
    void fewSizesAreLookedAt() {
        List<Long> looked = new ArrayList<>();
        LongToDoubleFunction risk = risk(128.5, 3);
        assertEquals(
                128L,
                new SafeSizeSearch(
                                size -> {
                                    looked.add(size);
                                    return risk.applyAsDouble(size);
                                },
                                138,
                                1)
                        .find());
        assertTrue(looked.size() <= 5, looked.toString());
    }

    @Test
    void aSizeThatIsAloneIsSafeOrNot() {
        assertEquals(7L, new SafeSizeSearch(size -> 0, 7, 0).find());
        assertNull(new SafeSizeSearch(size -> 1, 7, 0).find());
        assertNotNull(new SafeSizeSearch(size -> size > 1 ? 1 : 0, 7, 1).find());
    }
}
