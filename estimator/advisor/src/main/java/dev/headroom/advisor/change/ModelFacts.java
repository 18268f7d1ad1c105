package dev.headroom.advisor.change;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.graph.TensorMeta;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a graph says of its model, as far as advice depends on it. */
final class ModelFacts {
    private final Graph graph;
    private final ModuleGroups groups;
    private final List<String> blocks;
    private final List<String> leaves;
    private final Set<String> operators;
    private final boolean batchStatistics;

    ModelFacts(Graph graph) {
        this.graph = graph;
        this.groups = new ModuleGroups(graph);
        this.blocks = Modules.blocks(graph);
        this.leaves = Modules.leaves(graph);
        this.operators = graph.nodes().stream().map(Node::operator).collect(Collectors.toSet());
        this.batchStatistics =
                graph.nodes().stream().anyMatch(n -> n.operator().equals("aten.batch_norm") && training(n));
    }

    ModuleGroups groups() {
        return groups;
    }

    /** Patterns of numbered blocks of layers, such as {@code layer1.*}. */
    List<String> blocks() {
        return blocks;
    }

    /** Paths of modules that hold no others that run. */
    List<String> leaves() {
        return leaves;
    }

    /** Whether a library loads it. */
    boolean loaded() {
        return graph.held().loaded();
    }

    /** Whether the inputs' first dimension is open. */
    boolean hasBatch() {
        return SymbolBinding.hasBatch(graph);
    }

    /** Whether the batch's statistics enter the result. */
    boolean batchStatistics() {
        return batchStatistics;
    }

    private static boolean training(Node node) {
        return node.argument("training") instanceof Argument.Bool b && b.value();
    }

    boolean images() {
        return calls("aten.conv2d");
    }

    boolean attention() {
        return calls("aten.scaled_dot_product_attention");
    }

    private boolean calls(String operator) {
        return operators.contains(operator);
    }

    /** Whether the first output is a scalar: the loss. */
    boolean computesLoss() {
        return graph.outputs().stream()
                .map(o -> graph.values().get(o.value()))
                .filter(meta -> meta != null)
                .findFirst()
                .map(meta -> meta.sizes().isEmpty())
                .orElse(false);
    }

    /** Whether there are weights in float32. */
    boolean singlePrecision() {
        return graph.held().tensors().values().stream()
                .filter(t -> t.kind() == Graph.InputKind.PARAMETER)
                .map(t -> t.meta())
                .map(TensorMeta::dtype)
                .anyMatch(t -> t == DType.FLOAT32);
    }

    /** Whether the model's class, or one inside, is of a Python package such as {@code transformers}. */
    boolean of(String library) {
        return graph.nodes().stream()
                .flatMap(n -> n.moduleStack().stream().limit(1))
                .anyMatch(c -> c.type().startsWith(library + "."));
    }

    /** The call of the model on a part of a batch, as it stands in code. */
    String loss() {
        return computesLoss() ? "model(**batch).loss" : "criterion(model(inputs), targets)";
    }

    /** What a loop takes from its data loader. */
    String batch() {
        return computesLoss() ? "batch" : "(inputs, targets)";
    }
}
