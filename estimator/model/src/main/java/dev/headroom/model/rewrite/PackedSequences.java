package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The look at position ids with which the transformers library decides, eagerly, that no sequences are packed and the
 * mask may be skipped: differences, their running sum, and whether its last column is all zero (masking_utils.py,
 * find_packed_sequence_indices). Tracing leaves out the last two steps, but for an
 * export on the way that the run takes.
 */
final class PackedSequences {
    private PackedSequences() {}

    /**
     * The nodes with the look completed.
     *
     * @param keep takes the values that must stay although nothing reads them
     */
    static List<Node> check(List<Node> nodes, Set<String> keep) {
        List<Node> out = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            out.add(n);
            boolean runningSum = n.operator().equals("aten.cumsum")
                    && SkippedMasks.traced(n)
                    && differs(nodes, i)
                    && !looked(nodes, i);
            if (runningSum) {
                String sum = n.outputs().get(0);
                Node last = node(n, sum + "_last", "aten.select.int", sum, "dim", "index");
                Node zero = node(n, sum + "_zero", "aten.eq.Scalar", sum + "_last", "other");
                Node all = node(n, sum + "_all", "aten.all.default", sum + "_zero");
                out.addAll(List.of(last, zero, all));
                keep.add(sum + "_all");
            }
        }
        return out;
    }

    /** Whether the sum runs over {@code diff(positions) != 1}. */
    private static boolean differs(List<Node> nodes, int sum) {
        return sum >= 2
                && nodes.get(sum - 1).operator().equals("aten.ne")
                && nodes.get(sum - 2).operator().equals("aten.diff");
    }

    /** Whether the program was exported with the look: views of the last column, its comparison, {@code all}. */
    private static boolean looked(List<Node> nodes, int sum) {
        return nodes.subList(sum + 1, Math.min(sum + 5, nodes.size())).stream()
                .anyMatch(n -> n.operator().equals("aten.all"));
    }

    /** A call whose integer arguments are -1 ({@code dim}, {@code index}) or 0 ({@code other}). */
    private static Node node(Node like, String name, String target, String self, String... integers) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        arguments.add(new Node.NamedArgument("self", new Argument.Value(self)));
        for (String i : integers) {
            long value = i.equals("other") ? 0 : -1;
            arguments.add(new Node.NamedArgument(i, new Argument.Int(SymExpr.of(value))));
        }
        return new Node(name, target, arguments, List.of(name), like.moduleStack(), like.stackTrace());
    }
}
