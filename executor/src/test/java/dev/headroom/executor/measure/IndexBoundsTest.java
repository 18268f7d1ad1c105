package dev.headroom.executor.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.importer.Importers;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IndexBoundsTest {
    private static Map<String, Long> bounds(String model) {
        Graph graph = Importers.read(Fixtures.models().resolve("small").resolve(model + ".pt2"));
        return IndexBounds.of(graph, SymbolBinding.bind(graph, 2L, Map.of()));
    }

    @Test
    void followsTokensThroughViewsAndLabelsIntoTheLoss() {
        // GPT-2 looks up a view of its tokens and compares shifted, padded labels.
        assertEquals(Map.of("input_ids", 96L, "labels", 96L), bounds("gpt2"));
        assertEquals(Map.of("input_ids", 96L, "labels", 96L), bounds("bert-base"));
    }

    @Test
    void imagesAreNoIndices() {
        assertEquals(Map.of(), bounds("resnet18"));
    }
}
