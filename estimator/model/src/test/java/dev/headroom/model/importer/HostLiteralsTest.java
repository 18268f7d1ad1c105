package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostLiteralsTest {
    private static Node lift(String result) {
        return new Node(
                result,
                "aten.lift_fresh_copy.default",
                List.of(new Node.NamedArgument("self", new Argument.Value("c"))),
                List.of(result),
                List.of(),
                "",
                Node.Seen.NOTHING);
    }

    @Test
    void whereTheResultStaysOnTheHostTheCallNamesIt() {
        Node stays = lift("a");
        Node goes = lift("b");
        Node other = stays.withTarget("aten.detach_.default");
        List<Node> named = HostLiterals.named(List.of(stays, goes, other), Set.of("a"));
        assertEquals(
                new Node.NamedArgument("device", new Argument.Device("cpu")),
                named.get(0).arguments().get(1));
        assertEquals(List.of(goes, other), named.subList(1, 3));
        List<Node> none = List.of(stays);
        assertEquals(none, HostLiterals.named(none, Set.of()));
    }
}
