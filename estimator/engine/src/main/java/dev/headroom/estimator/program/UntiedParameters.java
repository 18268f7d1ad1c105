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
public final class UntiedParameters {
    private final Graph graph;

    /** Whether names have memory of their own, too. */
    private final boolean apart;

    private final Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
    private final List<Graph.Input> inputs;
    private final Map<String, TensorMeta> values;

    /** By module, then by a value of a tied parameter: the value that is the module's own. */
    private final Map<String, Map<String, String>> own = new HashMap<>();

    private UntiedParameters(Graph graph, boolean apart) {
        this.graph = graph;
        this.apart = apart;
        this.inputs = new ArrayList<>(graph.inputs());
        this.values = new LinkedHashMap<>(graph.values());
    }

    static Graph untie(Graph graph) {
        return new UntiedParameters(graph, true).rewrite();
    }

    /** Modules read parameters of their own, whose memory is one until they are {@linkplain #apart taken apart}. */
    static Graph readApart(Graph graph) {
        return new UntiedParameters(graph, false).rewrite();
    }

    /** The same with parameters that have memory of their own, after {@link ModelTensors#untie}. */
    public static Graph apart(Graph graph) {
        Map<String, ModelState.HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean parameter = held.kind() == Graph.InputKind.PARAMETER;
            tensors.put(name, parameter ? held.as(held.value(), name) : held);
        });
        return graph.withHeld(
                new ModelState(graph.held().modules(), tensors, graph.held().notes()));
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
        return graph.withInputs(inputs)
                .withNodes(graph.nodes().stream().map(this::reading).toList())
                .withValues(values)
                .withHeld(new ModelState(
                        graph.held().modules(), tensors, graph.held().notes()));
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
            tensors.put(name, held.as(value, apart ? name : held.storage()));
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
