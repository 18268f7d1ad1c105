package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The accuracy that Headroom promises, on every recording whose archive is at hand: all models and regimes. Nearly all
 * runs are exact to the byte in every phase; one recording was made with a key/value cache that its archive does not
 * have.
 */
class RecordingsTest {
    private static final double RESERVED_ERROR = 0.02;
    private static final double CLOSE = 0.005;
    private static final double EXACT_SHARE = 0.95;
    private static final double CLOSE_SHARE = 0.98;

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
    void theRunTakesTheSameCourse(Named named) {
        Comparison comparison = named.compare();
        assertEquals("", comparison.structure(), "phases, or where memory ran out");
        assertTrue(comparison.worstReserved() <= RESERVED_ERROR, () -> explain(comparison));
    }

    @Test
    void nearlyAllRunsAreExactToTheByte() {
        List<Named> all = recordings().toList();
        assertTrue(all.size() > 50, "recordings or archives are missing: only " + all.size());
        int exact = 0;
        int close = 0;
        StringBuilder report = new StringBuilder();
        for (Named named : all) {
            Comparison comparison = named.compare();
            Comparison.Row last = comparison.rows().get(comparison.rows().size() - 1);
            boolean every = comparison.exactShare() == 1;
            exact += every ? 1 : 0;
            double error =
                    Math.abs(last.predicted().maxAllocated() - last.recorded().maxAllocated())
                            / (double) last.recorded().maxAllocated();
            close += error <= CLOSE ? 1 : 0;
            report.append(every ? "" : named + " " + last.difference() + "\n");
        }
        assertTrue(exact >= EXACT_SHARE * all.size(), exact + " of " + all.size() + " are exact\n" + report);
        assertTrue(close >= CLOSE_SHARE * all.size(), close + " of " + all.size() + " are close\n" + report);
    }

    private static String explain(Comparison comparison) {
        return comparison.rows().stream()
                .filter(row -> !row.exact() || row.reservedError() > 0)
                .map(Comparison.Row::difference)
                .collect(Collectors.joining("\n", "predicted minus recorded bytes:\n", ""));
    }
}
