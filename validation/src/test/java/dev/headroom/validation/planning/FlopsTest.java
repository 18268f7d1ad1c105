package dev.headroom.validation.planning;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.flops.GraphFlops;
import dev.headroom.estimator.flops.OperatorFlops;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** FLOPs against those that PyTorch's counter counts; see {@code fixtures/flops}. */
class FlopsTest {
    /** Of weight gradients of grouped convolutions PyTorch's counter counts as many as of dense ones. */
    private static final Set<String> GROUPED = Set.of("mobilenet_v2-i224", "convnext_tiny-i224");

    static Stream<String> counted() throws IOException {
        return Files.readAllLines(Fixtures.folder().resolve("flops").resolve("flops.csv")).stream()
                .skip(1);
    }

    private static GraphFlops flops(String model, Scenario run) {
        Graph graph = Importers.read(Fixtures.models().resolve(model + ".pt2"));
        return GraphFlops.of(
                graph,
                run,
                SymbolBinding.bind(graph, run.sizes().batch(), run.sizes().dims()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("counted")
    void productsAreThoseThatPyTorchCounts(String row) {
        List<String> columns = List.of(row.split(","));
        Scenario run = Scenario.defaults()
                .with(BATCH, Long.valueOf(columns.get(2)))
                .with(ATTENTION, columns.get(3).equals("math") ? Scenario.Attention.MATH : Scenario.Attention.AUTO);
        GraphFlops flops = flops(columns.get(0), run);
        Map<String, OperatorFlops> modules = flops.byModule();
        assertEquals(
                Long.parseLong(columns.get(4)),
                modules.values().stream().mapToLong(f -> f.forward().products()).sum());
        if (!GROUPED.contains(columns.get(0))) {
            assertEquals(Long.parseLong(columns.get(5)), flops.step().products());
        }
    }

    @Test
    void aStepHasAsManyFlopsAsItsAccumulatedPasses() {
        Scenario run = Scenario.defaults().with(BATCH, 2L);
        long once = flops("resnet18-i224", run).step().total();
        run = run.with(ACCUMULATE, 3);
        assertEquals(3 * once, flops("resnet18-i224", run).step().total());
        run = run.with(ACCUMULATE, 1).with(BATCH, 6L);
        long thrice = flops("resnet18-i224", run).step().total();
        // All but what is done to weights alone grows with the batch.
        assertEquals(3 * once, thrice, 1e-3 * thrice);
    }
}
