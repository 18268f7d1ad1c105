package dev.headroom.model.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.GenerationSettings;
import dev.headroom.model.scenario.ModelSettings;
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

    /** What says when a pass runs depends on the prompt, the passes do not: to read one again takes as long as to play it. */
    @Test
    void promptsOfAnyLengthShareTheirPasses() {
        Scenario asked = run.with(GenerationSettings.GENERATE, 4);
        GenerationProgram first = program(asked.with(ModelSettings.SEQ, 8L));
        GenerationProgram longer = program(asked.with(ModelSettings.SEQ, 64L));
        assertNotEquals(first.decode(), longer.decode());
        assertSame(body(first.prefill(), 0), body(longer.prefill(), 0));
        assertSame(body(first.prefill(), 1), body(longer.prefill(), 1));
        assertSame(body(first.decode(), 0), body(longer.decode(), 0));
        assertSame(first.end(), longer.end());
    }

    private static GenerationProgram program(Scenario asked) {
        Graph written = Importers.read(Path.of("../../fixtures/models/configs/llama-tiny.json"), asked);
        return GenerationProgram.of(PreparedRun.of(written, asked, List.of()).graph())
                .orElseThrow();
    }

    private static Graph body(List<GenerationProgram.Stage> stages, int number) {
        return stages.get(number).body();
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
