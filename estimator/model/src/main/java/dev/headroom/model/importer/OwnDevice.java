package dev.headroom.model.importer;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;

/**
 * A program that was exported on the host. It cannot tell {@code device="cpu"} from {@code device=x.device}; as models
 * name the device of what they are given, its own device is the one that it runs on.
 */
final class OwnDevice {
    private static final Argument.Device OWN = new Argument.Device("cuda");

    private OwnDevice() {}

    /** The graph, with every device that it names being the one that it runs on. */
    static Graph of(Graph graph) {
        return graph.withNodes(graph.nodes().stream().map(OwnDevice::of).toList());
    }

    private static Node of(Node node) {
        List<Node.NamedArgument> arguments = node.arguments().stream()
                .map(a -> new Node.NamedArgument(a.name(), of(a.value())))
                .toList();
        return node.withArguments(arguments);
    }

    private static Argument of(Argument argument) {
        if (argument instanceof Argument.Subgraph body) {
            return new Argument.Subgraph(body.name(), of(body.graph()));
        }
        return argument instanceof Argument.Device ? OWN : argument;
    }
}
