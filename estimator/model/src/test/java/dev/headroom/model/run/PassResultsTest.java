package dev.headroom.model.run;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PassResultsTest {
    private static final Graph MODEL = Importers.read(Path.of("..", "..", "fixtures", "models", "cnn-small.pt2"));
    private static final Scenario RUN = Scenario.defaults().with(BATCH, 2L);

    /** The scenarios that the pass was asked with. */
    private final List<Scenario> seen = new ArrayList<>();

    private final List<Pass> passes = List.of(new Pass("copy", (graph, run, symbols) -> {
        seen.add(run);
        return graph.withNodes(new ArrayList<>(graph.nodes()));
    }));

    private Graph prepared(Scenario run) {
        return PreparedRun.of(MODEL, run, passes).graph();
    }

    @Test
    void passesAreNotAskedAgainForWhatTheyDoNotKnow() {
        Graph first = prepared(RUN);
        assertSame(first, prepared(RUN.with(BATCH, 3L).with(ACCUMULATE, 4).with(OPTIMIZER, OptimizerKind.SGD)));
        assertEquals(1, seen.size());
        assertNull(seen.get(0).sizes().batch());
        assertEquals(Scenario.defaults().optimizer(), seen.get(0).optimizer());
    }

    @Test
    void passesAreAskedAgainForWhatTheyKnow() {
        prepared(RUN);
        prepared(RUN.with(AMP, DType.BFLOAT16));
        assertEquals(2, seen.size());
        assertEquals(DType.BFLOAT16, seen.get(1).precision().amp());
    }

    @Test
    void whatLooksAtSymbolsIsAskedForOthers() {
        List<Long> batches = new ArrayList<>();
        List<Pass> reading = List.of(new Pass("read", (graph, run, symbols) -> {
            batches.addAll(symbols.values());
            return graph.withNodes(new ArrayList<>(graph.nodes()));
        }));
        PreparedRun.of(MODEL, RUN, reading);
        PreparedRun.of(MODEL, RUN.with(BATCH, 3L), reading);
        PreparedRun.of(MODEL, RUN.with(OPTIMIZER, OptimizerKind.SGD), reading);
        assertEquals(List.of(2L, 3L), batches);
    }
}
