package dev.headroom.executor.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.importer.Importers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexBoundsTest {
    private static final long NO_INDEX = 7;

    private static IndexBounds bounds(String model) {
        Graph graph = Importers.read(Fixtures.models().resolve("small").resolve(model + ".pt2"));
        return IndexBounds.of(graph, SymbolBinding.bind(graph, 2L, Map.of()));
    }

    @Test
    void followsTokensThroughViewsAndLabelsIntoTheLoss() {
        // GPT-2 looks up a view of its tokens and compares shifted, padded labels.
        for (String model : new String[] {"gpt2", "bert-base"}) {
            for (String input : new String[] {"input_ids", "labels"}) {
                assertEquals(0, bounds(model).from(input));
                assertEquals(96, bounds(model).below(input, NO_INDEX));
            }
        }
    }

    @Test
    void imagesAreNoIndices() {
        Importers.read(Fixtures.models().resolve("small").resolve("resnet18.pt2"))
                .inputs()
                .forEach(i -> assertEquals(NO_INDEX, bounds("resnet18").below(i.qualifiedName(), NO_INDEX)));
    }

    @Test
    void lengthsAreAsLongAsTheyCanBe(@TempDir Path folder) throws IOException {
        OperatorCase recorded = OperatorCase.all().stream()
                .filter(c -> c.label().equals("losses/ctc-mean"))
                .findFirst()
                .get();
        Path file = folder.resolve("ctc.pt2");
        recorded.writeArchive(file);
        IndexBounds bounds = IndexBounds.of(Importers.read(file), Map.of());
        assertEquals(20, bounds.from("y"));
        assertEquals(21, bounds.below("y", NO_INDEX));
        assertEquals(5, bounds.from("z"));
        assertEquals(6, bounds.below("z", NO_INDEX));
        assertEquals(10, bounds.below("x", NO_INDEX));
    }
}
