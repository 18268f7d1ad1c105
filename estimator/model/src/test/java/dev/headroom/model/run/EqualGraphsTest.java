package dev.headroom.model.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class EqualGraphsTest {
    private final Graph imported = Importers.read(Path.of("../../fixtures/models/small/gpt2.pt2"));
    private final Scenario run = Scenario.defaults().with(ScenarioSettings.BATCH, 2L);

    private Graph prepared(Scenario scenario) {
        return PreparedRun.of(imported, scenario, List.of()).graph();
    }

    /** Its masks are left out, so that each preparation writes a graph of its own. */
    @Test
    void variantsThatChangeNothingOfTheGraphShareIt() {
        Graph first = prepared(run);
        assertNotEquals(imported, first);
        assertSame(first, prepared(run.with(ScenarioSettings.STEPS, 1)));
        assertSame(first, prepared(run.with(ScenarioSettings.BATCH, 3L)));
        Graph inference = prepared(run.with(ScenarioSettings.INFERENCE, true));
        assertNotEquals(first, inference);
        assertSame(first, prepared(run));
    }

    @Test
    void onlyTheLastOnesAreKnown() {
        EqualGraphs graphs = new EqualGraphs();
        Graph first = graphs.one(copy(0));
        for (int other = 1; other < 8; other++) {
            graphs.one(copy(other));
        }
        assertSame(first, graphs.one(copy(0)), "now the last one");
        for (int other = 8; other < 16; other++) {
            graphs.one(copy(other));
        }
        Graph again = graphs.one(copy(0));
        assertEquals(first, again);
        assertNotSame(first, again);
    }

    /** A graph without the first nodes: not one that runs. */
    private Graph copy(int from) {
        return imported.withNodes(
                List.copyOf(imported.nodes().subList(from, imported.nodes().size())));
    }
}
