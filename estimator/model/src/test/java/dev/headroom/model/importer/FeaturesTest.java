package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives of one model (features.py): without data, with real weights and stored, and exported in strict mode. */
class FeaturesTest {
    @TempDir
    Path folder;

    private Graph read(String name) {
        return Importers.read(Fixtures.resource(name, folder));
    }

    private static Node node(Graph graph, String target) {
        return graph.nodes().stream()
                .filter(n -> n.target().equals(target))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void tiedAndUnusedTensorsAreHeld(String name) {
        Graph graph = read(name);
        Map<String, HeldTensor> held = graph.held().tensors();
        assertEquals("emb.weight", held.get("head.weight").storage());
        assertEquals("lin.weight", held.get("alias.weight").storage());
        assertEquals("lin.bias", held.get("alias.bias").storage());
        assertEquals("unused.weight", held.get("unused.weight").storage());
        assertEquals("scale", held.get("scale").storage());
        assertTrue(held.get("lin.weight").meta().requiresGrad());
        assertFalse(held.get("frozen.weight").meta().requiresGrad());
        assertEquals(InputKind.CONSTANT, held.get("k").kind());
        assertEquals(InputKind.CONSTANT, held.get("lifted_tensor_0").kind());
        if (!name.contains("strict")) { // which forgets unused buffers that are not persistent
            assertFalse(held.get("scratch").persistent());
        }
        assertEquals(List.of(), graph.held().notes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void stateIsWhatStateDictReturns(String name) {
        assertEquals(
                List.of(
                        "scale",
                        "idle",
                        "count",
                        "emb.weight",
                        "lin.weight",
                        "lin.bias",
                        "bn.weight",
                        "bn.bias",
                        "bn.running_mean",
                        "bn.running_var",
                        "bn.num_batches_tracked",
                        "unused.weight",
                        "frozen.weight",
                        "frozen.bias",
                        "head.weight",
                        "lstm.weight_ih_l0",
                        "lstm.weight_hh_l0",
                        "lstm.bias_ih_l0",
                        "lstm.bias_hh_l0",
                        "alias.weight",
                        "alias.bias",
                        "ln.weight",
                        "ln.bias"),
                read(name).state());
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void secondCallsOfAModuleAreTold(String name) {
        List<String> calls = read(name).nodes().stream()
                .filter(n -> n.target().equals("aten.linear.default"))
                .map(n -> n.moduleStack().get(n.moduleStack().size() - 1))
                .map(c -> c.call() + " " + c.path())
                .toList();
        assertEquals(List.of("lin lin", "lin@1 lin", "alias alias", "frozen frozen", "head head"), calls);
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void listsAndTuplesOfResultsAreFlat(String name) {
        Graph graph = read(name);
        assertEquals(2, node(graph, "aten.split.Tensor").outputs().size());
        assertEquals(8, node(graph, "aten.unbind.int").outputs().size());
        assertEquals(3, node(graph, "aten.lstm.input").outputs().size());
        assertEquals(
                new Argument.Values(Arrays.asList(null, null, "arange")),
                node(graph, "aten.index.Tensor").arguments().get(1).value());
        assertEquals(
                new Argument.Float(Double.NEGATIVE_INFINITY),
                node(graph, "aten.masked_fill.Scalar").arguments().get(2).value());
        assertEquals(
                new Argument.Ints(List.of(
                        SymExpr.of(1),
                        new SymExpr.Symbol(graph.symbols().keySet().iterator().next()),
                        SymExpr.of(8))),
                node(graph, "aten.zeros.default").arguments().get(0).value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void bodiesOfHigherOrderOperatorsAreGraphs(String name) {
        Graph graph = read(name);
        Node autocast = node(graph, "higher_order.wrap_with_autocast");
        Argument.Subgraph body = (Argument.Subgraph) autocast.arguments().get(4).value();
        assertEquals(
                List.of("aten.transpose.int", "aten.matmul.default", "aten.matmul.default", "aten.layer_norm.default"),
                body.graph().nodes().stream().map(Node::target).toList());
        assertEquals(3, body.graph().inputs().size());
        assertEquals("layer_norm", body.graph().outputs().get(0).value());
        assertEquals(
                new Argument.Bool(false),
                node(graph, "higher_order.wrap_with_set_grad_enabled")
                        .arguments()
                        .get(0)
                        .value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"features-meta.pt2", "features-cpu.pt2", "features-strict.pt2"})
    void outputsThatAreNoTensorsKeepTheirPlace(String name) {
        Graph graph = read(name);
        assertEquals(5, graph.outputs().size());
        assertEquals("index", graph.outputs().get(2).value());
        assertNull(graph.outputs().get(3).value());
        assertNull(graph.outputs().get(4).value());
        assertTrue(graph.nodes().stream().noneMatch(n -> n.target().startsWith("_operator")));
    }
}
