package dev.headroom.model.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.TorchVersion.LtWorkspace;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TorchVersionTest {
    @ParameterizedTest
    @CsvSource({"2.6, 2.6", "2.14.1, 2.14", "2.6.0+cu124, 2.6", "1.8.1, 1.8", "2.14.1+cu130, 2.14"})
    void readsVersions(String text, String version) {
        assertEquals(version, TorchVersion.of(text).toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "two", "2.x", "2.6.", "-2.6", "2.6 2.7", "2.6.0.1", "99999.1"})
    void refusesWhatIsNoVersion(String text) {
        String message = assertThrows(UserInputException.class, () -> TorchVersion.of(text))
                .getMessage();
        assertTrue(message.contains("write it like 2.14"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.4.1", "0.4", "2.15", "3.0"})
    void refusesWhatIsNotModelled(String text) {
        String message = assertThrows(UserInputException.class, () -> TorchVersion.of(text))
                .getMessage();
        assertTrue(message.contains("from 1.0 to 2.14"), message);
    }

    @Test
    void defaultsChangedIn2() {
        TorchVersion before = TorchVersion.of("1.13.1");
        TorchVersion after = TorchVersion.of("2.0.0");
        assertFalse(before.zeroGradSetsToNone() || before.foreachByDefault() || before.keepsBlasWorkspace());
        assertTrue(after.zeroGradSetsToNone() && after.foreachByDefault() && after.keepsBlasWorkspace());
    }

    @ParameterizedTest
    @CsvSource({
        "1.0, false, false, false",
        "1.4, true, false, false",
        "1.6, true, true, false",
        "1.10, true, true, true"
    })
    void kernelsOfOldVersions(String version, boolean gates, boolean vectors, boolean result) {
        TorchVersion torch = TorchVersion.of(version);
        assertEquals(gates, torch.cellsKeepGates());
        assertEquals(vectors, torch.vectorizedReductions());
        assertEquals(result, torch.reluKeepsResult());
    }

    @ParameterizedTest
    @CsvSource({
        "1.11, 3, 1, false",
        "1.12, 3, 1, true",
        "2.0, 4, 1, false",
        "2.1, 4, 1, true",
        "2.14, 2, 1, false",
        "2.14, 4, 2, false"
    })
    void linearFlattens(String version, int input, int bias, boolean flattens) {
        assertEquals(flattens, TorchVersion.of(version).flattensLinear(input, bias));
    }

    /** The third column as pytorch#95668 and the second as pull request 89027 report them. */
    @ParameterizedTest
    @CsvSource({
        "2.0, 9, 33554432",
        "2.0, 8, 8519680",
        "2.6, 10, 8519680",
        "2.14, 9, 33554432",
        "2.14, 10, 33554432",
        "2.14, 12, 33554432",
        "2.14, 7, 8519680"
    })
    void blasWorkspaceByGeneration(String version, int major, long bytes) {
        assertEquals(bytes, TorchVersion.of(version).blasWorkspaceBytes(major));
    }

    @ParameterizedTest
    @CsvSource({"1.8, NONE", "2.6, PER_CALL", "2.9, KEPT", "2.11, KEPT", "2.12, SHARED", "2.14, SHARED"})
    void blasLtWorkspace(String version, LtWorkspace kind) {
        assertEquals(kind, TorchVersion.of(version).ltWorkspace());
    }

    @ParameterizedTest
    @CsvSource({"2.11, false", "2.13, false", "2.14, true"})
    void unusedSeedsOnTheDevice(String version, boolean kept) {
        assertEquals(kept, TorchVersion.of(version).efficientStateOnDevice());
    }

    @ParameterizedTest
    @CsvSource({
        "2.0, 8.3",
        "2.3, 8.9",
        "2.6, 9.1",
        "2.7, 9.5",
        "2.8, 9.10",
        "2.10, 9.10",
        "2.11, 9.19",
        "2.13, 9.20",
        "2.14, 9.24"
    })
    void cudnnOfItsPackages(String version, String cudnn) {
        assertEquals(cudnn, TorchVersion.of(version).cudnn().toString());
    }

    @ParameterizedTest
    @CsvSource({"1.0, 1.0", "1.1, 2.1", "1.8, 2.1", "2.0.1, 2.1", "2.6, 2.6", "2.14, 2.14"})
    void namesTheAllocatorOfItsTime(String version, String allocator) {
        assertEquals(allocator, TorchVersion.of(version).allocator());
    }

    @Property
    void orderedAsNumbers(
            @ForAll @IntRange(min = 0, max = 40) int a,
            @ForAll @IntRange(min = 0, max = 40) int b,
            @ForAll @IntRange(min = 1, max = 3) int major) {
        TorchVersion x = new TorchVersion(major, a);
        assertEquals(a >= b, x.since(major, b));
        assertTrue(x.since(major - 1, b));
        assertFalse(x.since(major + 1, b));
        assertEquals(Integer.compare(a, b), Integer.signum(x.compareTo(new TorchVersion(major, b))));
    }

    @ParameterizedTest
    @CsvSource({"2.5, 256000000, false", "2.6, 268435456, true", "2.7, 52428800, true", "2.14, 52428800, true"})
    void kernelsAreTimedOverABuffer(String version, long bytes, boolean belowPeak) {
        TorchVersion torch = TorchVersion.of(version);
        assertEquals(bytes, torch.benchmarkBytes(50L << 20));
        assertEquals(belowPeak, torch.tunesBelowPeak());
    }
}
