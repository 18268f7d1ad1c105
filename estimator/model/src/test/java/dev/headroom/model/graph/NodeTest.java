package dev.headroom.model.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodeTest {
    private static final Argument.Value X = new Argument.Value("x");
    private static final Argument.Bool COPY = new Argument.Bool(true);

    private static final Node TO = new Node(
            "to",
            "aten.to.device",
            List.of(new Node.NamedArgument("self", X), new Node.NamedArgument("copy", COPY)),
            List.of("to"),
            List.of(),
            "");

    private static List<String> names(Node n) {
        return n.arguments().stream().map(Node.NamedArgument::name).toList();
    }

    @Test
    void argumentsAreFoundByName() {
        assertEquals(COPY, TO.argument("copy"));
        assertNull(TO.argument("device"));
        assertEquals("x", TO.tensor("self"));
        assertNull(TO.tensor("copy"), "given, and no tensor");
        assertNull(TO.tensor("other"));
    }

    @Test
    void anArgumentIsReplacedWhereItStandsAndAddedBehindTheOthers() {
        Node replaced = TO.with("self", new Argument.Value("y"));
        assertEquals("y", replaced.tensor("self"));
        assertEquals(List.of("self", "copy"), names(replaced));
        assertEquals(List.of("self", "copy", "device"), names(TO.with("device", new Argument.Device("cpu"))));
        assertEquals(List.of("copy"), names(TO.without("self")));
        assertEquals(TO, TO.without("other"));
    }

    @Test
    void aDeviceIsHostMemoryOrAnyOther() {
        for (String host : List.of("cpu", "cpu:0")) {
            Node to = TO.with("device", new Argument.Device(host));
            assertTrue(to.goesToHost() && !to.goesToDevice(), host);
        }
        for (String device : List.of("cuda", "cuda:1", "meta")) {
            Node to = TO.with("device", new Argument.Device(device));
            assertTrue(to.goesToDevice() && !to.goesToHost(), device);
        }
        assertFalse(TO.goesToHost() || TO.goesToDevice());
    }
}
