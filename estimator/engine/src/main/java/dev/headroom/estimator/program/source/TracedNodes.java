package dev.headroom.estimator.program.source;

import dev.headroom.model.graph.CalledFunctions;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.UnregisteredCalls;
import dev.headroom.model.memo.GraphMemo;
import java.util.List;

/**
 * The nodes of a graph with all calls that they ran in, and the lines of Python that they came from: read once for all
 * who look at them.
 */
public record TracedNodes(List<Node> nodes, ModuleFrames frames) {
    private static final GraphMemo<TracedNodes> READ = new GraphMemo<>(TracedNodes::read);

    /** Of a graph. */
    public static TracedNodes of(Graph graph) {
        return READ.of(graph);
    }

    private static TracedNodes read(Graph graph) {
        List<Node> nodes = CalledFunctions.in(UnregisteredCalls.in(graph.nodes()));
        return new TracedNodes(nodes, ModuleFrames.of(nodes));
    }
}
