package dev.headroom.estimator.program;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the nodes of a graph ran, by their position in it.
 *
 * @param executions how often each ran, recomputations included
 * @param results numbers of the storages of each node's results when it last ran, -1 for an absent one; {@code null}
 *     for a node that never ran
 * @param made what is known of values that the graph says nothing of, by name
 * @param checkpointsWithoutGradients re-entrant checkpoints that ran although none of their inputs requires a gradient,
 *     so that the parameters inside get none
 */
public record NodeRuns(int[] executions, int[][] results, Map<String, Made> made, int checkpointsWithoutGradients) {
    /** A value that the graph says nothing of. */
    record Made(DType dtype, long[] sizes) {}

    /** No node ran. */
    public static final NodeRuns NONE = new NodeRuns(new int[0], new int[0][], Map.of(), 0);

    /** Storages of the results of a node when it last ran; none before it ran. */
    public int[] storages(int node) {
        return node >= results.length || results[node] == null ? new int[0] : results[node];
    }

    /** The graph with what the run knows of its values. */
    public Graph known(Graph graph) {
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        made.forEach((name, value) -> values.put(name, TensorMeta.of(value.dtype(), value.sizes())));
        values.putAll(graph.values());
        return graph.withValues(values);
    }
}
