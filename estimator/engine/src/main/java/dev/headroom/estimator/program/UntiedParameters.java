package dev.headroom.estimator.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What modules share and lose: when a model on the meta device gets memory module by module, each module that has a shared
 * parameter gets one of its own, unless somebody ties them again (torch/nn/modules/module.py, to_empty).
 */
final class UntiedParameters {
    private final Graph graph;

    /** By value and module: the value of the same parameter under the module's own name. */
    private final Map<String, Map<String, String>> own = new HashMap<>();

    private UntiedParameters(Graph graph) {
        this.graph = graph;
    }

    /** The graph of the model whose modules share no parameter any more. */
    static Graph of(Graph graph) {
        return new UntiedParameters(graph).untied();
    }

    private Graph untied() {
        Map<String, ModelState.HeldTensor> held = new LinkedHashMap<>();
        Map<String, List<String>> sharing = new HashMap<>();
        graph.held().tensors().forEach((name, t) -> {
            boolean parts = t.kind() == Graph.InputKind.PARAMETER && t.value() != null;
            if (parts) {
                sharing.computeIfAbsent(t.storage(), k -> new ArrayList<>()).add(name);
            }
            held.put(name, parts ? new ModelState.HeldTensor(t.kind(), t.meta(), t.persistent(), t.value(), name) : t);
        });
        sharing.values().stream().filter(names -> names.size() > 1).forEach(this::learn);
        if (own.isEmpty()) {
            return graph;
        }
        List<Node> nodes = graph.nodes().stream().map(this::renamed).toList();
        ModelState state =
                new ModelState(graph.held().modules(), held, graph.held().notes());
        return graph.withNodes(nodes).withHeld(state);
    }

    private void learn(List<String> names) {
        Map<String, ModelState.HeldTensor> tensors = graph.held().tensors();
        for (String read : names) {
            Map<String, String> byModule = own.computeIfAbsent(tensors.get(read).value(), k -> new HashMap<>());
            for (String name : names) {
                byModule.put(ModelState.owner(name), tensors.get(name).value());
            }
        }
    }

    private Node renamed(Node n) {
        List<Node.NamedArgument> arguments = new ArrayList<>(n.arguments().size());
        for (Node.NamedArgument a : n.arguments()) {
            Argument value = a.value();
            if (value instanceof Argument.Value v) {
                value = new Argument.Value(own.getOrDefault(v.name(), Map.of()).getOrDefault(n.module(), v.name()));
            }
            arguments.add(new Node.NamedArgument(a.name(), value));
        }
        return arguments.equals(n.arguments())
                ? n
                : new Node(n.name(), n.target(), arguments, n.outputs(), n.moduleStack(), n.stackTrace());
    }
}
