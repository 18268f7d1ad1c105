package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.trainer.LigerKernel;
import dev.headroom.model.trainer.TrainerOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kernels that Liger puts in the place of a model's own operators where {@code use_liger_kernel} is set
 * (liger_kernel 0.8.5, transformers/monkey_patch.py): normalisation by root mean squares, rotary positions,
 * gated activations. The head with its loss is {@link FusedLanguageHead}'s.
 */
public final class LigerKernels {
    /** Its cross-entropy. */
    static final String CROSS_ENTROPY = "liger.cross_entropy";

    private static final Set<String> GATES = Set.of("aten.silu", "aten.gelu");

    private final Graph graph;
    private final Map<String, Node> producers = new HashMap<>();
    private final Map<String, Integer> readers = new HashMap<>();
    private final Set<Node> dropped = new HashSet<>();
    private final Map<Node, Node> instead = new HashMap<>();

    private LigerKernels(Graph graph) {
        this.graph = graph;
        for (Node n : graph.nodes()) {
            for (String out : n.outputs()) {
                if (out != null) {
                    producers.put(out, n);
                }
            }
            n.reads().forEach(v -> readers.merge(v, 1, Integer::sum));
        }
    }

    /** The graph with the kernels that are asked for. */
    public static Graph put(Graph model, TrainerOptions asked) {
        Graph graph = asked.puts(LigerKernel.FUSED_LINEAR_CROSS_ENTROPY) ? FusedLanguageHead.liger(model) : model;
        LigerKernels kernels = new LigerKernels(graph);
        if (asked.puts(LigerKernel.RMS_NORM)) {
            kernels.norms();
        }
        if (asked.puts(LigerKernel.ROPE)) {
            graph.nodes().forEach(kernels::rotation);
        }
        if (asked.puts(LigerKernel.SWIGLU)) {
            graph.nodes().forEach(kernels::gate);
        }
        if (asked.puts(LigerKernel.CROSS_ENTROPY)) {
            graph.nodes().forEach(kernels::loss);
        }
        List<Node> nodes = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (!kernels.dropped.contains(n)) {
                nodes.add(kernels.instead.getOrDefault(n, n));
            }
        }
        return graph.withNodes(nodes);
    }

    /** Calls of modules that normalise: their operators stand in a row. */
    private void norms() {
        List<Node> call = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (!call.isEmpty() && !sameCall(call.get(0), n)) {
                norm(call);
                call.clear();
            }
            if (type(n).endsWith("RMSNorm")) {
                call.add(n);
            }
        }
        norm(call);
    }

    private static String type(Node n) {
        return n.moduleStack().isEmpty()
                ? ""
                : n.moduleStack().get(n.moduleStack().size() - 1).type();
    }

    private static boolean sameCall(Node a, Node b) {
        return !b.moduleStack().isEmpty()
                && a.moduleStack()
                        .get(a.moduleStack().size() - 1)
                        .call()
                        .equals(b.moduleStack().get(b.moduleStack().size() - 1).call());
    }

    private void norm(List<Node> call) {
        String weight = "";
        for (Node n : call) {
            for (String v : n.reads()) {
                weight = isParameter(v) ? v : weight;
            }
        }
        if (weight.isEmpty()) {
            return;
        }
        Node last = call.get(call.size() - 1);
        String input = call.get(0).reads().get(0);
        replace(last, "liger.rms_norm", Map.of("self", input, "weight", weight));
        dropped.addAll(call.subList(0, call.size() - 1));
    }

    private boolean isParameter(String value) {
        return graph.inputs().stream()
                .anyMatch(in ->
                        in.kind() == Graph.InputKind.PARAMETER && in.value().equals(value));
    }

    private void replace(Node n, String target, Map<String, String> tensors) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (String name : List.of("self", "other", "weight", "cos", "sin")) {
            String value = tensors.get(name);
            if (value != null) {
                arguments.add(new Node.NamedArgument(name, new Argument.Value(value)));
            }
        }
        instead.put(n, n.withTarget(target).withArguments(arguments));
    }

    /** {@code x * cos + rotate_half(x) * sin}. */
    private void rotation(Node sum) {
        if (!sum.operator().equals("aten.add")) {
            return;
        }
        Node direct = producer(sum, "self", "aten.mul");
        Node turned = producer(sum, "other", "aten.mul");
        Node halves = turned == null ? null : producer(turned, "self", "aten.cat");
        if (direct == null || halves == null || halves.reads().size() != 2) {
            return;
        }
        Node negated = producers.get(halves.reads().get(0));
        Node first = producers.get(halves.reads().get(1));
        if (negated == null || first == null || !negated.operator().equals("aten.neg")) {
            return;
        }
        Node second = producers.get(negated.reads().get(0));
        String x = direct.reads().get(0);
        if (second == null || !second.reads().contains(x) || !first.reads().contains(x)) {
            return;
        }
        String cos = direct.reads().get(1);
        String sin = Objects.requireNonNull(turned).reads().get(1);
        replace(sum, "liger.rope", Map.of("self", x, "cos", cos, "sin", sin));
        dropped.addAll(List.of(direct, turned, halves, negated, first, second));
    }

    /** {@code act_fn(gate) * up}. */
    private void gate(Node product) {
        Node activated = product.operator().equals("aten.mul") ? producer(product, "self", "") : null;
        if (activated == null
                || !GATES.contains(activated.operator())
                || readers.getOrDefault(
                                Objects.requireNonNull(activated.outputs().get(0)), 0)
                        != 1
                || !(product.argument("other") instanceof Argument.Value up)) {
            return;
        }
        replace(product, "liger.gate", Map.of("self", activated.reads().get(0), "other", up.name()));
        dropped.add(activated);
    }

    /** {@code nn.functional.cross_entropy}, wherever it is called. */
    private void loss(Node n) {
        if (n.operator().equals("aten.cross_entropy_loss")) {
            instead.put(n, n.withTarget(CROSS_ENTROPY));
        }
    }

    private @Nullable Node producer(Node n, String argument, String operator) {
        Node made = n.argument(argument) instanceof Argument.Value v ? producers.get(v.name()) : null;
        return made != null && (operator.isEmpty() || made.operator().equals(operator)) ? made : null;
    }
}
