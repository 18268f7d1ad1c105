package dev.headroom.estimator.program;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.memo.GraphMemo;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Operators after which the host waits for the device, because it reads a value: those whose results have sizes that
 * depend on values, those that make numbers, and conditions, which leave nothing in a graph but a truth that no
 * operator reads.
 */
final class HostReads {
    private static final Set<String> READING = Set.of(
            "aten.item",
            "aten._local_scalar_dense",
            "aten.is_nonzero",
            "aten.equal",
            "aten.nonzero",
            "aten.nonzero_numpy",
            "aten.masked_select",
            "aten.unique",
            "aten.unique_consecutive",
            "aten._unique2");

    /** Operators that make one truth of many. */
    private static final Set<String> SUMMING_UP = Set.of("aten.all", "aten.any");

    private static final GraphMemo<BitSet> READ = new GraphMemo<>(HostReads::read);

    private HostReads() {}

    /** Positions of such operators among a graph's nodes; do not change the set. */
    static BitSet of(Graph graph) {
        return READ.of(graph);
    }

    private static BitSet read(Graph graph) {
        Set<String> read = new HashSet<>();
        graph.nodes().forEach(n -> read.addAll(n.reads()));
        graph.outputs().forEach(o -> read.add(o.value()));
        BitSet out = new BitSet();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            out.set(i, READING.contains(node.operator()) || isCondition(graph, node, read));
        }
        return out;
    }

    private static boolean isCondition(Graph graph, Node node, Set<String> read) {
        if (node.outputs().size() != 1
                || node.outputs().get(0) == null
                || read.contains(node.outputs().get(0))) {
            return false;
        }
        TensorMeta meta = graph.values().get(node.outputs().get(0));
        boolean truth =
                meta != null && meta.dtype() == DType.BOOL && meta.sizes().isEmpty();
        return truth || SUMMING_UP.contains(node.operator());
    }
}
