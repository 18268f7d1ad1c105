package dev.headroom.model.rewrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What was seen to outlive a pass, as nodes. */
class KeptValuesTest {
    private static Node node(String target, String result, List<String> reads, Node.Seen seen) {
        List<Node.NamedArgument> arguments = reads.stream()
                .map(r -> new Node.NamedArgument("", new Argument.Value(r)))
                .toList();
        return new Node(result, target, arguments, List.of(result), List.of(), "", seen);
    }

    private static Node.Seen keeps(String value, String buffer) {
        return new Node.Seen(List.of(), List.of(new Node.Kept(value, buffer)), false, null);
    }

    private static Graph graph(Node... nodes) {
        return new Graph(
                "net",
                List.of(
                        new Graph.Input(Graph.InputKind.USER, "x", "", true),
                        new Graph.Input(Graph.InputKind.BUFFER, "b_mean", "mean", true)),
                List.of(nodes),
                List.of(new Graph.Output(Graph.OutputKind.USER, nodes[nodes.length - 1].name(), "")),
                Map.of("b_mean", TensorMeta.of(DType.FLOAT32, 4)),
                Map.of(),
                Map.of(),
                List.of());
    }

    private static List<String> told(Graph graph) {
        return graph.nodes().stream()
                .map(n -> VariableNodes.isOne(n) && !n.target().equals(VariableNodes.RETURN)
                        ? n.target() + " " + VariableNodes.name(n)
                        : n.target())
                .toList();
    }

    @Test
    void nothingSeenChangesNothing() {
        Graph graph = graph(node("aten.relu.default", "a", List.of("x"), Node.Seen.NOTHING));
        assertSame(graph, KeptValues.bound(graph));
    }

    @Test
    void anAttributeIsBoundWhereTheOldOneGoes() {
        Graph bound = KeptValues.bound(graph(
                node("aten.relu.default", "a", List.of("x"), keeps("a", "")),
                node("aten.exp.default", "b", List.of("a"), new Node.Seen(List.of(), List.of(), true, null))));
        assertEquals(
                List.of("aten.relu.default", "python.bind self.net.a", "aten.exp.default", "python.return"),
                told(bound));
        assertEquals(List.of("a"), bound.nodes().get(1).reads());
    }

    @Test
    void oneThatGoesBeforeItsSuccessorIsThereIsDeleted() {
        Graph bound = KeptValues.bound(graph(
                node("aten.relu.default", "a", List.of("x"), keeps("b", "")),
                node("aten.exp.default", "b", List.of("a"), Node.Seen.NOTHING)));
        assertEquals(
                List.of("aten.relu.default", "python.delete self.net.b", "aten.exp.default", "python.bind self.net.b"),
                told(bound));
    }

    @Test
    void aBufferIsReplacedAndNotCopiedInto() {
        Graph bound = KeptValues.bound(graph(
                node("aten.add.Tensor", "a", List.of("b_mean", "x"), keeps("a", "mean")),
                node("aten.exp.default", "b", List.of("a"), Node.Seen.NOTHING),
                node(
                        "aten.copy_.default",
                        "c",
                        List.of("b_mean", "a"),
                        Node.Seen.NOTHING.withReleased(List.of("a", "b")))));
        assertEquals(List.of("aten.add.Tensor", "python.buffer mean", "aten.exp.default"), told(bound));
        assertEquals(List.of("a", "b"), bound.nodes().get(2).released());
    }
}
