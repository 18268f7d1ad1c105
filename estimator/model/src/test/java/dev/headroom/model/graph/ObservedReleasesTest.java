package dev.headroom.model.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When values were seen to go, in a graph that passes have changed since. */
class ObservedReleasesTest {
    private static Node node(String result, List<String> reads, List<String> released) {
        List<Node.NamedArgument> arguments = reads.stream()
                .map(r -> new Node.NamedArgument("", new Argument.Value(r)))
                .toList();
        return new Node(
                result,
                "aten.relu.default",
                arguments,
                List.of(result),
                List.of(),
                "",
                Node.Seen.NOTHING.withReleased(released));
    }

    private static Graph graph(List<Node> nodes) {
        TensorMeta rows = TensorMeta.of(DType.FLOAT32, 2, 3);
        TensorMeta columns = new TensorMeta(
                DType.FLOAT32, rows.sizes(), List.of(SymExpr.of(1), SymExpr.of(2)), SymExpr.of(0), false);
        Map<String, TensorMeta> values = Map.of("a", rows, "b", rows, "c", columns, "d", rows);
        return new Graph("net", List.of(), nodes, List.of(), values, Map.of(), Map.of(), List.of());
    }

    private static Node view(String operator, String of, String result) {
        return node(result, List.of(of), List.of())
                .withTarget(operator)
                .withArguments(List.of(new Node.NamedArgument("self", new Argument.Value(of))));
    }

    private static Map<String, Integer> of(Node... nodes) {
        return ObservedReleases.of(graph(List.of(nodes))).at();
    }

    @Test
    void ofWhatLivesAsLongAsItsViewNothingWasSeen() {
        Node first = node("a", List.of("x"), List.of());
        Node last = node("d", List.of("b"), List.of("b", "a"));
        List<Node> flat = List.of(first, view("aten.flatten.using_ints", "a", "b"), last);
        assertEquals(new ObservedReleases(Map.of("b", 2), Map.of("a", 2)), ObservedReleases.of(graph(flat)));
        assertEquals(Map.of("b", 2), of(first, view("aten.to.dtype", "a", "b"), last));
        assertEquals(Map.of("b", 2, "a", 2), of(first, view("aten.clone.default", "a", "b"), last));
        Node alone = node("d", List.of("b"), List.of("b"));
        assertEquals(
                Map.of("b", 2, "a", 3),
                of(first, view("aten.flatten.using_ints", "a", "b"), alone, node("e", List.of("d"), List.of("a"))));
    }

    @Test
    void aCopyWasSeenApartFromItsOriginal() {
        Node first = node("c", List.of("x"), List.of());
        Node last = node("d", List.of("b"), List.of("b", "c"));
        assertEquals(Map.of("b", 2, "c", 2), of(first, view("aten.contiguous.default", "c", "b"), last));
    }

    @Test
    void valuesGoInTheOrderInWhichTheyWereSeenToGo() {
        List<Node> nodes = List.of(
                node("a", List.of("x"), List.of()),
                node("b", List.of("a"), List.of()),
                node("c", List.of("b"), List.of("b", "a")));
        assertEquals(Map.of("b", 2, "a", 2), ObservedReleases.of(graph(nodes)).at());
        assertEquals(
                List.of("b", "a"),
                List.copyOf(ObservedReleases.of(graph(nodes)).at().keySet()));
    }

    @Test
    void whatAPassReadsLaterGoesThen() {
        List<Node> nodes = List.of(
                node("a", List.of("x"), List.of()),
                node("b", List.of("a"), List.of("a")),
                node("added", List.of("a"), List.of()));
        assertEquals(Map.of("a", 2), ObservedReleases.of(graph(nodes)).at());
    }

    @Test
    void aNodeWithOtherPartsKeepsWhatGoesAfterIt() {
        Node node = node("b", List.of("a"), List.of("a"));
        Node other = node.withTarget("aten.exp.default")
                .withArguments(List.of())
                .withOutputs(List.of("c"))
                .withModuleStack(List.of())
                .withStackTrace("lines");
        assertEquals(List.of("a"), other.released());
        assertEquals(
                List.of("d"),
                other.withSeen(other.seen().withReleased(List.of("d"))).released());
    }
}
