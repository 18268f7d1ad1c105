package dev.headroom.model.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrowingListsTest {
    private static Graph model(String name) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path file = at.resolve("fixtures").resolve("models").resolve(name + ".pt2");
            if (Files.exists(file)) {
                return Importers.read(file);
            }
        }
        throw new IllegalStateException("no fixtures/models/" + name + ".pt2");
    }

    private static void collect(Graph graph, List<ModuleCalls.Call> calls, List<String> out) {
        for (ModuleCalls.Call call : calls) {
            if (GrowingLists.isGivenTo(graph, call)) {
                out.add(call.path());
            }
            collect(graph, call.children(), out);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "small/densenet169, features.denseblock1 features.denseblock2 features.denseblock3 features.denseblock4",
        "small/resnet50, ''",
        "small/unet, ''",
        "small/vit_b_16, ''",
        "t5-small-s256, ''",
        "swin_t-i224, ''",
        "efficientnet_b0-i224, ''"
    })
    void denseBlocksHandOnAList(String name, String blocks) {
        Graph graph = model(name);
        List<String> found = new ArrayList<>();
        collect(graph, ModuleCalls.roots(graph), found);
        assertEquals(blocks, String.join(" ", found));
    }
}
