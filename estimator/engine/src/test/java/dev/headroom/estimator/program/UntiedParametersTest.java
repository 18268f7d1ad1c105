package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.TensorMeta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A language model whose head has the embedding's weight; the graph reads both under the first name. */
class UntiedParametersTest {
    private static Graph tied() {
        Graph graph = new WrittenGraph()
                .input(Graph.InputKind.PARAMETER, "w", DType.FLOAT32, 9, 4)
                .calledBy("embed", "aten.embedding.default", "h", "weight", "w", "indices", "ids")
                .calledBy("head", "aten.linear.default", "y", "input", "h", "weight", "w")
                .graph();
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        TensorMeta meta = graph.meta("w");
        tensors.put("embed.weight", held(meta, "w"));
        tensors.put("head.weight", held(meta, null));
        tensors.put(
                "embed.places", new ModelState.HeldTensor(Graph.InputKind.BUFFER, meta, true, null, "embed.weight"));
        return graph.withHeld(new ModelState(List.of("", "embed", "head"), tensors, List.of("note")));
    }

    private static ModelState.HeldTensor held(TensorMeta meta, String value) {
        return new ModelState.HeldTensor(Graph.InputKind.PARAMETER, meta, true, value, "embed.weight");
    }

    private static String storages(Graph graph) {
        return graph.held().tensors().entrySet().stream()
                .map(e -> e.getKey() + " in " + e.getValue().storage())
                .collect(Collectors.joining("; "));
    }

    @Test
    void eachModuleReadsItsOwn() {
        Graph untied = UntiedParameters.untie(tied());
        assertEquals("h = embedding w ids\ny = linear h untied.head.weight", WrittenGraph.text(untied));
        assertEquals(
                "embed.weight in embed.weight; head.weight in head.weight; embed.places in embed.weight",
                storages(untied));
        assertEquals(
                List.of("untied.head.weight", "w"),
                untied.inputs().stream().map(Graph.Input::value).toList());
        assertEquals(DType.FLOAT32, untied.meta("untied.head.weight").dtype());
        assertEquals(List.of("note"), untied.held().notes());
    }

    @Test
    void theirMemoryMayStayOneUntilTheyAreTakenApart() {
        Graph apart = UntiedParameters.readApart(tied());
        assertEquals("h = embedding w ids\ny = linear h untied.head.weight", WrittenGraph.text(apart));
        assertEquals(
                "embed.weight in embed.weight; head.weight in embed.weight; embed.places in embed.weight",
                storages(apart));
        assertEquals(
                "embed.weight in embed.weight; head.weight in head.weight; embed.places in embed.weight",
                storages(UntiedParameters.apart(apart)));
    }

    @Test
    void aModelWithoutTiesStays() {
        Graph graph = new WrittenGraph()
                .input(Graph.InputKind.PARAMETER, "a", DType.FLOAT32, 4)
                .input(Graph.InputKind.PARAMETER, "b", DType.FLOAT32, 4)
                .graph();
        assertSame(graph, UntiedParameters.untie(graph));
    }
}
