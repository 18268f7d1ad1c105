package dev.headroom.estimator.program;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Makes each name of a tied parameter a parameter of its own, which the module that has the name reads. */
final class UntiedParameters {
    private final Graph graph;
    private final Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
    private final List<Graph.Input> inputs;
    private final Map<String, TensorMeta> values;

    /** By module, then by a value of a tied parameter: the value that is the module's own. */
    private final Map<String, Map<String, String>> own = new HashMap<>();

    private UntiedParameters(Graph graph) {
        this.graph = graph;
        this.inputs = new ArrayList<>(graph.inputs());
        this.values = new LinkedHashMap<>(graph.values());
    }

    static Graph untie(Graph graph) {
        return new UntiedParameters(graph).rewrite();
    }

    private Graph rewrite() {
        Map<String, List<String>> ties = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            if (held.kind() == Graph.InputKind.PARAMETER) {
                ties.computeIfAbsent(held.storage(), k -> new ArrayList<>()).add(name);
            }
        });
        ties.values().removeIf(names -> names.size() < 2);
        if (ties.isEmpty()) {
            return graph;
        }
        tensors.putAll(graph.held().tensors());
        ties.values().forEach(this::separate);
        return new Graph(
                graph.name(),
                inputs,
                graph.nodes().stream().map(this::reading).toList(),
                graph.outputs(),
                values,
                graph.ints(),
                graph.symbols(),
                graph.state(),
                new ModelState(graph.held().modules(), tensors, graph.held().notes()));
    }

    private void separate(List<String> names) {
        List<String> read = new ArrayList<>();
        for (String name : names) {
            ModelState.HeldTensor held = Objects.requireNonNull(tensors.get(name), name);
            if (held.value() != null) {
                read.add(held.value());
            }
        }
        for (String name : names) {
            ModelState.HeldTensor held = Objects.requireNonNull(tensors.get(name), name);
            String value = held.value();
            if (value == null) {
                value = "untied." + name;
                values.put(value, held.meta());
                inputs.add(0, new Graph.Input(Graph.InputKind.PARAMETER, value, name, true));
            }
            tensors.put(name, held.as(value, name));
            Map<String, String> renamed = own.computeIfAbsent(ModelState.owner(name), k -> new HashMap<>());
            for (String other : read) {
                renamed.put(other, value);
            }
        }
    }

    private Node reading(Node node) {
        Map<String, String> renamed = own.get(node.module());
        return renamed == null ? node : node.reading(renamed);
    }
}
