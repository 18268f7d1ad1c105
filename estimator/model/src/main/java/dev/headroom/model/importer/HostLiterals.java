package dev.headroom.model.importer;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import java.util.List;
import java.util.Set;

/**
 * Literals that stay in host memory, as {@code torch.tensor(5)} does. An archive has the same call of {@code
 * lift_fresh_copy} for them as for {@code torch.tensor(5, device=x.device)}; only the device of the result tells.
 */
final class HostLiterals {
    private static final String LIFTED = "aten.lift_fresh_copy.default";

    private HostLiterals() {}

    /** The nodes, where lifting a literal names the device if that is the host. */
    static List<Node> named(List<Node> nodes, Set<String> onHost) {
        return onHost.isEmpty()
                ? nodes
                : nodes.stream().map(n -> stays(n, onHost) ? named(n) : n).toList();
    }

    private static boolean stays(Node n, Set<String> onHost) {
        return n.target().equals(LIFTED) && onHost.containsAll(n.outputs());
    }

    private static Node named(Node n) {
        return n.with("device", new Argument.Device("cpu"));
    }
}
