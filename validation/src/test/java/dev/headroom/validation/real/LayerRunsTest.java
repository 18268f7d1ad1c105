package dev.headroom.validation.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers that Liger-Kernel's authors measured on an A100 and others. */
class LayerRunsTest {
    private static final double NEAR = 0.01;

    static Stream<RealRun> runs() {
        List<RealRun> runs = new LayerRuns()
                .set(CsvRows.read(Fixtures.folder().resolve("real").resolve("llm.csv.gz")), new Archives(List.of()))
                .runs();
        assertTrue(runs.size() >= 25, runs.size() + " rows");
        return runs.stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void peaksAreNear(RealRun run) {
        RealResult result = RealResult.of(run);
        assertEquals(null, result.fault(), run.name());
        assertTrue(Math.abs(result.error(0)) <= NEAR, run.name() + ": " + result.allocated());
    }
}
