package dev.headroom.app.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class SizesTest {
    @ParameterizedTest
    @CsvSource({
        "8589934592, 8589934592",
        "24GiB, 25769803776",
        "24 gib, 25769803776",
        "40GB, 40000000000",
        "512M, 536870912",
        "1k, 1024",
        "1.5GiB, 1610612736",
        "0.1KiB, 102",
        "23.70GiB, 25447681228",
        "0, 0",
        "12b, 12",
        "9223372036854775807, 9223372036854775807",
    })
    void readsWhatPeopleWrite(String text, long bytes) {
        assertEquals(bytes, Sizes.parse("--memory", text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "GiB", "-1GiB", "1e9", "24GiBs", "1,5GiB", "0x10", "9223372036854775808", "9PiB", "NaN"})
    void refusesTheRest(String text) {
        String message = assertThrows(UserInputException.class, () -> Sizes.parse("--limit", text))
                .getMessage();
        assertTrue(message.startsWith("--limit: '"), message);
    }

    @Property
    void binaryUnitsAreExact(@ForAll @LongRange(min = 0, max = (1L << 33) - 1) long gib) {
        assertEquals(gib << 30, Sizes.parse("--memory", gib + "GiB"));
        assertEquals(gib, Sizes.parse("--memory", Long.toString(gib)));
    }
}
