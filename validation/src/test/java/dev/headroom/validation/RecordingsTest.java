package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.predict.Predictor;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The accuracy that Headroom promises for the plain training step, on every recording whose archive is at hand. */
class RecordingsTest {
    private static final double ALLOCATED_ERROR = 0.005;
    private static final double RESERVED_ERROR = 0.02;
    private static final double EXACT_SHARE = 0.8;

    static Stream<Named> recordings() {
        return Fixtures.recordings(Fixtures.recordings()).stream()
                .map(Recording::read)
                .map(recording -> new Named(recording, new RecordedRun(recording)))
                .filter(named -> named.run.archive(Fixtures.models()).isPresent())
                .filter(named -> named.run.obstacle().isEmpty());
    }

    /** A recording under its name in test reports. */
    record Named(Recording recording, RecordedRun run) {
        Comparison compare() {
            Path archive = run.archive(Fixtures.models()).orElseThrow();
            return Comparison.of(recording, Predictor.predict(run.request(archive)));
        }

        @Override
        public String toString() {
            return recording.name();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsClose(Named named) {
        Comparison comparison = named.compare();
        assertEquals("", comparison.structure());
        for (Comparison.Row row : comparison.rows()) {
            assertTrue(row.allocatedError() <= ALLOCATED_ERROR, () -> explain(comparison));
            assertTrue(row.reservedError() <= RESERVED_ERROR, () -> explain(comparison));
        }
    }

    @Test
    void mostPhasesAreExactToTheByte() {
        List<Named> all = recordings().toList();
        assertTrue(!all.isEmpty(), "no recording has its archive in fixtures/models");
        long phases = 0;
        long exact = 0;
        StringBuilder report = new StringBuilder();
        for (Named named : all) {
            Comparison comparison = named.compare();
            long here = comparison.rows().stream().filter(Comparison.Row::exact).count();
            phases += named.recording.phases().size();
            exact += here;
            report.append(String.format(
                    Locale.ROOT,
                    "%s %d/%d%n",
                    named,
                    here,
                    named.recording.phases().size()));
        }
        assertTrue(exact >= EXACT_SHARE * phases, exact + " of " + phases + " phases are exact\n" + report);
    }

    private static String explain(Comparison comparison) {
        return comparison.rows().stream()
                .filter(row -> !row.exact() || row.reservedError() > 0)
                .map(Comparison.Row::difference)
                .collect(Collectors.joining("\n", "predicted minus recorded bytes:\n", ""));
    }
}
