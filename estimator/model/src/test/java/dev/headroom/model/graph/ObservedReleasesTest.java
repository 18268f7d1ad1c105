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

    @Test
    void valuesGoInTheOrderInWhichTheyWereSeenToGo() {
        List<Node> nodes = List.of(
                node("a", List.of("x"), List.of()),
                node("b", List.of("a"), List.of()),
                node("c", List.of("b"), List.of("b", "a")));
        assertEquals(Map.of("b", 2, "a", 2), ObservedReleases.of(nodes));
        assertEquals(List.of("b", "a"), List.copyOf(ObservedReleases.of(nodes).keySet()));
    }

    @Test
    void whatAPassReadsLaterGoesThen() {
        List<Node> nodes = List.of(
                node("a", List.of("x"), List.of()),
                node("b", List.of("a"), List.of("a")),
                node("added", List.of("a"), List.of()));
        assertEquals(Map.of("a", 2), ObservedReleases.of(nodes));
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
