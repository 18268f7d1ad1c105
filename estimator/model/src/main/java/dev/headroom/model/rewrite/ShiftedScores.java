package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.trainer.TransformersVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Losses of causal models as older versions of the transformers library have them: all scores but the last are
 * copied, and the labels are not padded (transformers 4.48.1, loss/loss_utils.py). Before 4.46, models return
 * the scores in float32 (4.45.2, models/mistral/modeling_mistral.py).
 */
public final class ShiftedScores {
    private ShiftedScores() {}

    /** The graph as a version has it. */
    public static Graph of(Graph graph, TransformersVersion version) {
        Node loss = version.movesLabels()
                ? null
                : graph.nodes().stream()
                        .filter(ItemsInBatch::isLossFunction)
                        .findFirst()
                        .orElse(null);
        if (loss == null) {
            return graph;
        }
        if (OwnLoss.isOf(graph)) {
            return OwnLoss.of(graph, loss);
        }
        Map<String, String> padded = new HashMap<>();
        List<Node> nodes = new ArrayList<>();
        String scores = read(loss, "self");
        String wide = "";
        for (Node n : graph.nodes()) {
            if (n.operator().equals("aten.pad") && n.stackTrace().equals(loss.stackTrace())) {
                padded.put(Objects.requireNonNull(n.outputs().get(0)), read(n, "self"));
            } else if (!padded.isEmpty() && n.outputs().contains(scores)) {
                wide = read(n, "self");
                Node cut =
                        node(n, wide + "_cut", "aten.slice.Tensor", wide, Map.of("dim", 1L, "start", 0L, "end", -1L));
                Node dense = node(n, wide + "_shifted", "aten.contiguous.default", wide + "_cut", Map.of());
                nodes.addAll(List.of(cut, dense, n.reading(Map.of(wide, wide + "_shifted"))));
            } else {
                nodes.add(n.reading(padded));
            }
        }
        Graph moved = graph.withNodes(nodes);
        return version.countsItems() || wide.isEmpty() ? moved : returningWide(widenedByModel(moved, wide), wide);
    }

    /** {@code logits = logits.float()} is a line of the model's own: the name lets go of the scores before. */
    private static Graph widenedByModel(Graph graph, String wide) {
        String before = "";
        List<Node> nodes = new ArrayList<>();
        String trace = "";
        for (Node n : graph.nodes()) {
            if (n.outputs().contains(wide)) {
                before = read(n, "self");
            }
        }
        for (Node n : graph.nodes()) {
            if (n.outputs().contains(before)) {
                int last = n.stackTrace().stripTrailing().lastIndexOf('\n') + 1;
                trace = n.stackTrace().substring(0, last) + "    logits = logits.float()\n";
            }
            nodes.add(n.outputs().contains(wide) && !trace.isEmpty() ? n.withStackTrace(trace) : n);
        }
        return graph.withNodes(nodes);
    }

    static String read(Node n, String argument) {
        return n.argument(argument) instanceof Argument.Value v ? v.name() : "";
    }

    static Node node(Node like, String name, String target, String self, Map<String, Long> numbers) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("self", new Argument.Value(self)));
        for (String number : List.of("dim", "start", "end")) {
            if (numbers.containsKey(number)) {
                arguments.add(new Node.NamedArgument(
                        number, new Argument.Int(SymExpr.of(Objects.requireNonNull(numbers.get(number))))));
            }
        }
        return new Node(name, target, arguments, List.of(name), like.moduleStack(), like.stackTrace());
    }

    /** The scores that are returned are those of the loss. */
    private static Graph returningWide(Graph graph, String wide) {
        List<Graph.Output> outputs = new ArrayList<>(graph.outputs());
        if (outputs.size() > 1) {
            outputs.set(
                    1,
                    new Graph.Output(outputs.get(1).kind(), wide, outputs.get(1).target()));
        }
        return graph.withOutputs(outputs);
    }
}
