package dev.headroom.model.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import dev.headroom.model.trainer.LoopKind;
import dev.headroom.model.trainer.TransformersVersion;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnLossTest {
    /** Until 4.48, some classes cut their scores and take a mean; others copied them to float32 and counted items. */
    @ParameterizedTest
    @CsvSource({"gpt2, 4.48, 0, 0", "gpt2, 4.49, 1, 1", "santacoder, 4.48, 0, 0", "smollm2-135m, 4.48, 1, 1"})
    void scoresKeepTheirTypeInOlderClasses(String model, String version, int copies, int sums) {
        Scenario run = Scenario.defaults()
                .with(ModelSettings.SEQ, 16L)
                .with(ScenarioSettings.BATCH, 1L)
                .with(TrainerSettings.LOOP, LoopKind.TRAINER)
                .with(TrainerSettings.TRANSFORMERS, TransformersVersion.of(version));
        Graph graph = PreparedRun.of(Importers.read(Path.of(model), run), run, List.of())
                .graph();
        assertEquals(copies, count(graph, "aten.to", "loss_function"));
        assertEquals(sums, count(graph, "aten.div", "loss_function"));
        assertEquals(1 - copies, count(graph, "aten.cross_entropy_loss", "loss_fct("));
    }

    private static long count(Graph graph, String operator, String line) {
        return graph.nodes().stream()
                .filter(n -> n.operator().equals(operator) && n.stackTrace().contains(line))
                .count();
    }
}
