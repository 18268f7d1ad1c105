package dev.headroom.estimator.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * {@code nn.MultiheadAttention} projects query, key and value at once where they are one object. Hooks that give a
 * module other arguments, as DeepSpeed's stage 3 does, make them three, and each is projected by itself
 * (torch/nn/functional.py, _in_projection_packed).
 */
final class UnpackedAttention {
    private static final String MODULE = ".MultiheadAttention";
    private static final List<String> PACKED = List.of(
            "aten.linear",
            "aten.unflatten",
            "aten.unsqueeze",
            "aten.transpose",
            "aten.squeeze",
            "aten.contiguous",
            "aten.select",
            "aten.select",
            "aten.select");
    private static final int PARTS = 3;

    private UnpackedAttention() {}

    /** The graph with three projections for each packed one. */
    static Graph of(Graph graph) {
        List<Node> nodes = graph.nodes();
        List<Node> out = new ArrayList<>();
        for (int i = 0; i < nodes.size(); ) {
            if (isPacked(nodes, i)) {
                Node before = out.isEmpty() ? null : out.get(out.size() - 1);
                out.addAll(projections(nodes, i, before));
                i += PACKED.size();
            } else {
                out.add(nodes.get(i++));
            }
        }
        return out.size() == nodes.size() ? graph : graph.withNodes(out);
    }

    private static boolean isPacked(List<Node> nodes, int at) {
        List<Node.ModuleCall> modules = nodes.get(at).moduleStack();
        return !modules.isEmpty()
                && modules.get(modules.size() - 1).type().endsWith(MODULE)
                && at + PACKED.size() <= nodes.size()
                && IntStream.range(0, PACKED.size())
                        .allMatch(k -> nodes.get(at + k).operator().equals(PACKED.get(k)));
    }

    /** @param before the node before, which may turn the batch around: then each argument is turned by itself */
    private static List<Node> projections(List<Node> nodes, int at, @Nullable Node before) {
        Node packed = nodes.get(at);
        List<Node> out = new ArrayList<>();
        List<Argument> inputs = new ArrayList<>();
        for (int k = 0; k < PARTS; k++) {
            Argument input = packed.arguments().get(0).value();
            if (k > 0
                    && before != null
                    && input.equals(new Argument.Value(before.outputs().get(0)))) {
                String name = before.name() + "_argument" + k;
                out.add(like(before, k, before.target(), before.arguments(), List.of(name)));
                input = new Argument.Value(name);
            }
            inputs.add(input);
        }
        List<List<String>> parts = new ArrayList<>();
        for (Node.NamedArgument argument :
                packed.arguments().subList(1, packed.arguments().size())) {
            List<String> names = IntStream.range(0, PARTS)
                    .mapToObj(k -> packed.name() + "_" + argument.name() + k)
                    .toList();
            parts.add(argument.value() instanceof Argument.Value ? names : List.of());
            if (argument.value() instanceof Argument.Value) {
                out.add(chunk(packed, argument.value(), names));
            }
        }
        for (int k = 0; k < PARTS; k++) {
            List<Node.NamedArgument> arguments = new ArrayList<>(packed.arguments());
            arguments.set(0, new Node.NamedArgument(arguments.get(0).name(), inputs.get(k)));
            for (int a = 0; a < parts.size(); a++) {
                if (!parts.get(a).isEmpty()) {
                    arguments.set(
                            a + 1,
                            new Node.NamedArgument(
                                    arguments.get(a + 1).name(),
                                    new Argument.Value(parts.get(a).get(k))));
                }
            }
            out.add(like(
                    packed,
                    k,
                    packed.target(),
                    arguments,
                    nodes.get(at + PACKED.size() - PARTS + k).outputs()));
        }
        return out;
    }

    private static Node chunk(Node packed, Argument of, List<String> names) {
        return like(
                packed,
                PARTS,
                "aten.chunk.default",
                List.of(
                        new Node.NamedArgument("self", of),
                        new Node.NamedArgument("chunks", new Argument.Int(SymExpr.of(PARTS))),
                        new Node.NamedArgument("dim", new Argument.Int(SymExpr.of(0)))),
                names);
    }

    private static Node like(
            Node packed, int number, String target, List<Node.NamedArgument> arguments, List<String> outputs) {
        return new Node(
                packed.name() + "_" + outputs.get(0) + number,
                target,
                arguments,
                outputs,
                packed.moduleStack(),
                packed.stackTrace());
    }
}
