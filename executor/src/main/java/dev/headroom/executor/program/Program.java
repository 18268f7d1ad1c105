package dev.headroom.executor.program;

import dev.headroom.executor.op.Arguments;
import dev.headroom.executor.op.Autocast;
import dev.headroom.executor.op.Operator;
import dev.headroom.executor.op.Operators;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.graph.Graph;
import dev.headroom.graph.GraphException;
import dev.headroom.graph.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A graph ready to run on a device. */
public final class Program {
    private final Eager eager;
    private final Graph graph;
    private final Map<String, Long> symbols;
    private final ValueLifetimes lifetimes;

    /**
     * @throws GraphException when the graph has operators that the executor lacks, naming them all
     */
    public Program(Eager eager, Graph graph, Map<String, Long> symbols) {
        this.eager = eager;
        this.graph = graph;
        this.symbols = symbols;
        this.lifetimes = ValueLifetimes.of(graph);
        requireOperators(graph);
    }

    private static void requireOperators(Graph graph) {
        TreeSet<String> lacking = new TreeSet<>();
        for (Node node : graph.nodes()) {
            if (Operators.standard().find(node.operator()) == null) {
                lacking.add(node.operator());
            }
        }
        if (!lacking.isEmpty()) {
            throw new GraphException(graph.name() + " cannot be run: the executor lacks " + String.join(", ", lacking)
                    + "; predict it with 'headroom predict'");
        }
    }

    /**
     * Runs all operators.
     *
     * @param inputs by value name: the model's tensors and the user's; borrowed
     * @return the user's outputs, each with a reference for the caller; {@code null} for one that is no tensor
     */
    public Tensor[] run(Map<String, Tensor> inputs) {
        Map<String, Tensor> values = new HashMap<>(inputs);
        try {
            for (int i = 0; i < graph.nodes().size(); i++) {
                step(graph.nodes().get(i), values);
                for (String dead : lifetimes.diesAfter(i)) {
                    eager.release(values.remove(dead));
                }
            }
            return graph.outputs().stream()
                    .filter(o -> o.kind() != Graph.OutputKind.MUTATION)
                    .map(o -> o.value() == null ? null : eager.hold(values.get(o.value())))
                    .toArray(Tensor[]::new);
        } finally {
            values.forEach((name, t) -> {
                if (inputs.get(name) != t) {
                    eager.release(t);
                }
            });
        }
    }

    private void step(Node node, Map<String, Tensor> values) {
        eager.own(new Owner(node.module(), node.operator()));
        Operator operator = Operators.standard().find(node.operator());
        try (Scope s = eager.open()) {
            Tensor[] results = operator.run(eager, Autocast.applied(eager, new Arguments(node, values, symbols)));
            List<String> names = node.outputs();
            for (int i = 0; i < names.size() && i < results.length; i++) {
                if (names.get(i) != null && results[i] != null) {
                    values.put(names.get(i), eager.hold(results[i]));
                }
            }
        }
    }
}
