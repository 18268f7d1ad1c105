package dev.headroom.validation.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the real PyTorch did with random models is what the simulation does. */
class RecordedCasesTest {
    private static List<RecordedCase> cases(String name) {
        return RecordedCase.read(Fixtures.folder().resolve("random").resolve(name + ".jsonl.gz"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "found"})
    void everyPhaseIsEqualToTheByte(String name) {
        List<String> different = new ArrayList<>();
        List<RecordedCase> cases = cases(name);
        assertFalse(cases.isEmpty());
        for (RecordedCase c : cases) {
            assertEquals("", c.error());
            String difference = c.difference(c.simulate());
            if (difference != null) {
                different.add(c.asked() + "\n" + difference);
            }
        }
        assertEquals(List.of(), different);
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "found"})
    void theExecutorTakesWhatPyTorchTook(String name) {
        List<String> different = new ArrayList<>();
        int run = 0;
        for (RecordedCase c : cases(name)) {
            if (Lacking.nothing(c.asked())) {
                run++;
                String difference = MeasureCases.difference(c);
                if (difference != null) {
                    different.add(c.asked() + "\n" + difference);
                }
            }
        }
        assertTrue(run > 0);
        assertEquals(List.of(), different);
    }

    @Test
    void aDifferenceIsSeen() {
        RecordedCase c = cases("found").get(0);
        RecordedCase other = cases("found").get(1);
        assertFalse(c.difference(other.simulate()).isEmpty());
        assertNull(c.difference(c.simulate()));
    }
}
