package dev.headroom.model.rewrite;

import dev.headroom.model.adapter.OuterModel;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Causal models that trl's SFTTrainer calls: one function takes the hidden states, the head's weight and the labels,
 * and returns the loss with a few numbers a token in place of the scores (trl 1.16, trainer/utils.py,
 * add_fused_lm_head).
 */
public final class FusedLanguageHead {
    /** The function. */
    public static final String HEAD = "trl.fused_lm_head";

    /** Liger's. */
    public static final String LIGER = "liger.fused_linear_cross_entropy";

    private static final String LINEAR = "aten.linear";
    private static final String SLICE = "aten.slice";

    private final Graph graph;
    private final Map<String, Node> producers = new HashMap<>();

    private FusedLanguageHead(Graph graph) {
        this.graph = graph;
        for (Node n : graph.nodes()) {
            for (String out : n.outputs()) {
                if (out != null) {
                    producers.put(out, n);
                }
            }
        }
    }

    /**
     * The graph with the function in the place of head and loss.
     *
     * @throws UserInputException for a model that has no such head, or no labels
     */
    public static Graph put(Graph graph) {
        return new FusedLanguageHead(graph).put(HEAD, List.of("_log_probs", "_entropy", "_top", "_mask"), "`loop=sft`");
    }

    /**
     * The graph with Liger's head and loss in one, which returns no scores.
     *
     * @throws UserInputException for a model that has no such head, or no labels
     */
    public static Graph liger(Graph graph) {
        return new FusedLanguageHead(graph).put(LIGER, List.of(), "`liger`");
    }

    private Graph put(String function, List<String> others, String option) {
        Node loss = graph.nodes().stream()
                .filter(ItemsInBatch::isLossFunction)
                .findFirst()
                .orElse(null);
        String labels = ItemsInBatch.labels(graph);
        Node head = loss == null ? null : head(loss);
        if (labels == null || head == null) {
            throw new UserInputException(option + ": the model has no head of a causal language model with labels;"
                    + " export it with labels, or leave the option out");
        }
        String hidden = hidden(head);
        List<Node> nodes = new ArrayList<>();
        boolean made = false;
        for (Node n : graph.nodes()) {
            // What the model's variables hold until it returns is held all the same.
            if (made && !n.target().equals(VariableNodes.USE)) {
                break;
            }
            nodes.add(n);
            made |= n.outputs().contains(hidden);
        }
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("hidden", new Argument.Value(hidden)));
        arguments.add(new Node.NamedArgument("weight", argument(head, "weight")));
        Argument bias = head.argument("bias");
        if (bias instanceof Argument.Value) {
            arguments.add(new Node.NamedArgument("bias", bias));
        }
        arguments.add(new Node.NamedArgument("labels", new Argument.Value(OuterModel.labels(graph, labels))));
        String scalar =
                Objects.requireNonNull(Objects.requireNonNull(loss).outputs().get(0));
        List<String> outputs = new ArrayList<>(List.of(scalar));
        others.forEach(other -> outputs.add(scalar + other));
        Balance balance = Balance.of(graph, loss);
        String sum = balance == null ? scalar : balance.sum();
        List<String> results = new ArrayList<>(outputs);
        nodes.add(new Node(function, function, arguments, results, loss.moduleStack(), loss.stackTrace()));
        if (balance != null) {
            nodes.addAll(balance.nodes());
            outputs.set(0, sum);
            outputs.add(balance.value());
        }
        List<Node> after = OuterModel.after(graph);
        nodes.addAll(after);
        String returned = Objects.requireNonNullElse(graph.outputs().get(0).value(), "");
        if (after.stream().anyMatch(n -> n.outputs().contains(returned))) {
            outputs.set(0, returned); // the loss with what peft adds to it
        }
        return graph.withNodes(nodes)
                .withOutputs(outputs.stream()
                        .map(v -> new Graph.Output(Graph.OutputKind.USER, v, ""))
                        .toList());
    }

    private static Argument argument(Node n, String name) {
        return Objects.requireNonNull(n.argument(name), name);
    }

    /** The last linear layer before the loss. */
    private @Nullable Node head(Node loss) {
        Node at = producer(loss, "self");
        while (at != null && !at.operator().equals(LINEAR)) {
            at = producer(at, "self");
        }
        return at;
    }

    private @Nullable Node producer(Node n, String argument) {
        return n.argument(argument) instanceof Argument.Value v ? producers.get(v.name()) : null;
    }

    /** What the head is given, before the part of it that is asked for is cut out. */
    /** Whether a conversion of the states stands in the line that calls the head. */
    private static boolean isOfHead(Node node) {
        String line =
                node.stackTrace().substring(node.stackTrace().stripTrailing().lastIndexOf('\n') + 1);
        return node.operator().equals("aten.to") && line.contains("self.lm_head(");
    }

    private String hidden(Node head) {
        Argument input = head.argument("input");
        Node made = producer(head, "input");
        while (made != null && (made.operator().equals(SLICE) || isOfHead(made))) {
            input = made.argument("self");
            made = producer(made, "self");
        }
        if (input instanceof Argument.Value v) {
            return v.name();
        }
        throw new UserInputException("nothing is known of what the head of the model is given");
    }
}
