package dev.headroom.executor.measure;

import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Batch;
import dev.headroom.graph.Argument;
import dev.headroom.graph.Graph;
import dev.headroom.graph.Node;
import dev.headroom.graph.SymbolBinding;
import dev.headroom.graph.TensorMeta;
import dev.headroom.training.TrainingRun;
import java.util.HashMap;
import java.util.Map;

/**
 * Random data of the right kind: numbers between -1 and 1, indices that every table they are looked up in has, classes
 * that the model's output has. Memory does not depend on them.
 */
final class RandomBatch implements Batch {
    /** Every table of indices has two rows, and every choice two classes. */
    private static final long FEWEST = 2;

    private final Eager eager;
    private final Map<String, Long> rows = new HashMap<>();
    private final long classes;

    RandomBatch(Graph graph, TrainingRun run, Eager eager) {
        this.eager = eager;
        Map<String, Long> symbols = SymbolBinding.bind(graph, run.batch, run.dims);
        Map<String, String> names = new HashMap<>();
        for (Graph.Input input : graph.inputs()) {
            if (input.kind() == Graph.InputKind.USER) {
                names.put(input.value(), input.qualifiedName());
            }
        }
        for (Node node : graph.nodes()) {
            String looked = node.operator().equals("aten.embedding") ? names.get(value(node, "indices")) : null;
            TensorMeta table = looked == null ? null : graph.values().get(value(node, "weight"));
            if (table != null) {
                rows.merge(looked, table.sizes().get(0).evaluate(symbols), Math::min);
            }
        }
        this.classes = classes(graph, symbols);
    }

    @Override
    public void fill(String name, Tensor t) {
        double from = 0;
        double to = rows.getOrDefault(name, FEWEST);
        if (t.dtype().isFloatingPoint()) {
            from = -1;
            to = 1;
        } else if (name.equals("target")) {
            to = classes;
        } else if (name.contains("mask")) {
            from = 1; // nothing is masked
        }
        eager.backend().random().uniform(t, from, to, eager.randomness().next());
    }

    private static String value(Node node, String argument) {
        for (Node.NamedArgument a : node.arguments()) {
            if (a.name().equals(argument) && a.value() instanceof Argument.Value v) {
                return v.name();
            }
        }
        return null;
    }

    private static long classes(Graph graph, Map<String, Long> symbols) {
        for (Graph.Output o : graph.outputs()) {
            TensorMeta meta = o.value() == null ? null : graph.values().get(o.value());
            if (o.kind() != Graph.OutputKind.MUTATION && meta != null) {
                return meta.sizes().size() < 2 ? FEWEST : meta.sizes().get(1).evaluate(symbols);
            }
        }
        return 1; // a model built in Java does not say: the first class is always there
    }
}
