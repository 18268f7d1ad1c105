package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Parameters that several modules have. Sharing gives each of these modules a part of its own: what was one parameter
 * becomes several, unless a library ties them again.
 */
final class TiedParameters {
    private final Graph graph;
    private final boolean library;
    private final Set<String> tied = new HashSet<>();

    /** By module, then by the value that the graph reads for a parameter of it: the value that is the module's own. */
    private final Map<String, Map<String, String>> own = new HashMap<>();

    private final IdentityHashMap<Node, Node> reading = new IdentityHashMap<>();

    TiedParameters(Graph graph) {
        this.graph = graph;
        graph.held().tensors().forEach((name, held) -> {
            if (!held.storage().equals(name) && held.kind() == Graph.InputKind.PARAMETER) {
                tied.add(held.storage());
            }
        });
        library = graph.nodes().stream().flatMap(n -> n.moduleStack().stream()).anyMatch(c -> c.type()
                .startsWith("transformers."));
    }

    /** Whether several modules have the parameter of a storage. */
    boolean isTied(String storage) {
        return tied.contains(storage);
    }

    /** Whether there are such parameters at all. */
    boolean any() {
        return !tied.isEmpty();
    }

    /** Whether the library of the model ties parameters when it is built. */
    boolean library() {
        return library;
    }

    /** Makes a name of a tied parameter a parameter of its own; the reference passes over. */
    void untie(ModelTensors model, String name, Tensor part) {
        String storage =
                Objects.requireNonNull(graph.held().tensors().get(name), name).storage();
        String mine = "untied." + name;
        model.add(name, part);
        model.byValue().put(mine, part);
        Map<String, String> renamed = own.computeIfAbsent(ModelState.owner(name), k -> new HashMap<>());
        graph.held().tensors().forEach((other, held) -> {
            if (held.storage().equals(storage) && held.value() != null) {
                renamed.put(held.value(), mine);
            }
        });
    }

    /** The node with the values of its own module; the same one each time. */
    Node ownValues(Node node) {
        Map<String, String> renamed = own.isEmpty() ? null : own.get(node.module());
        return renamed == null ? node : reading.computeIfAbsent(node, n -> n.reading(renamed));
    }
}
