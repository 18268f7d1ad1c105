package dev.headroom.model.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class DecimalsTest {
    @Property
    void bytesAreWrittenAsByFormat(
            @ForAll @LongRange(min = 0, max = 1L << 50) long bytes, @ForAll @IntRange(max = 3) int places) {
        double mib = bytes / (double) (1 << 20);
        assertEquals(String.format(Locale.ROOT, "%." + places + "f", mib), Decimals.fixed(mib, places));
    }

    @Property
    void sharesAreWrittenAsByFormat(@ForAll @DoubleRange(min = 0, max = 100, minIncluded = false) double share) {
        assertEquals(String.format(Locale.ROOT, "%.1f", share), Decimals.fixed(share, 1));
    }

    @Test
    void halvesGoAwayFromZero() {
        assertEquals("0.3", Decimals.fixed(0.25, 1));
        assertEquals("-1", Decimals.fixed(-0.5, 0));
        assertEquals("0.0", Decimals.fixed(-0.01, 1));
    }
}
