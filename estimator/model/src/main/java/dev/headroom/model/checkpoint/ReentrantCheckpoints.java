package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Re-entrant checkpoints that a program makes itself. They run their function without gradients, which an exporter sees
 * as an operator with a body ({@code wrap_with_set_grad_enabled}). It does not see that gradients are on again when the
 * function has returned (torch/utils/checkpoint.py, CheckpointFunction), so that all that follows is in bodies, too.
 *
 * @param graph without those bodies
 * @param ranges of its nodes that are inside of checkpoints: the first one, and one after the last one
 */
record ReentrantCheckpoints(Graph graph, List<int[]> ranges) {
    private static final GraphMemo<ReentrantCheckpoints> READ = new GraphMemo<>(ReentrantCheckpoints::read);
    private static final String WRAPPER = "higher_order.wrap_with_set_grad_enabled";

    /** Behind the name of a checkpoint's operator, in the names of those that were in its body. */
    private static final String INSIDE = "/checkpoint/";

    static ReentrantCheckpoints of(Graph graph) {
        return READ.of(graph);
    }

    /** What is recomputed. */
    CheckpointPlan plan() {
        Regions regions = new Regions(graph);
        return new CheckpointPlan(
                graph, ranges.stream().map(r -> regions.of(r[0], r[1])).toList(), true);
    }

    private static ReentrantCheckpoints read(Graph graph) {
        int first = 0;
        while (first < graph.nodes().size() && !isCheckpoint(graph.nodes().get(first))) {
            first++;
        }
        if (first == graph.nodes().size()) {
            return new ReentrantCheckpoints(graph, marked(graph.nodes()));
        }
        List<Node> nodes = new ArrayList<>(graph.nodes().subList(0, first));
        Map<String, TensorMeta> values = new HashMap<>(graph.values());
        Map<String, String> names = new HashMap<>();
        List<int[]> ranges = new ArrayList<>();
        for (Node n : graph.nodes().subList(first, graph.nodes().size())) {
            Graph body = body(n);
            int from = nodes.size();
            if (body == null) {
                nodes.add(n.renamed(v -> names.getOrDefault(v, v)));
            } else {
                names.putAll(inside(n, body, names));
                body.values().forEach((name, meta) -> values.put(names.getOrDefault(name, name), meta));
                String mark = isCheckpoint(n) ? n.name() + INSIDE : "";
                body.nodes()
                        .forEach(inner -> nodes.add(withoutCheckpoint(inner)
                                .renamed(v -> names.getOrDefault(v, v))
                                .withName(mark + inner.name())));
            }
            if (isCheckpoint(n)) {
                ranges.add(new int[] {from, nodes.size()});
            }
        }
        List<Graph.Output> outputs = graph.outputs().stream()
                .map(o -> new Graph.Output(o.kind(), names.getOrDefault(o.value(), o.value()), o.target()))
                .toList();
        return new ReentrantCheckpoints(
                graph.withNodes(nodes).withValues(values).withOutputs(outputs), List.copyOf(ranges));
    }

    /** The checkpoints of a graph without such bodies, by the names of its nodes. */
    private static List<int[]> marked(List<Node> nodes) {
        List<int[]> out = new ArrayList<>();
        String running = "";
        for (int i = 0; i < nodes.size(); i++) {
            int end = nodes.get(i).name().indexOf(INSIDE);
            String checkpoint = end < 0 ? "" : nodes.get(i).name().substring(0, end);
            if (end >= 0 && checkpoint.equals(running)) {
                out.get(out.size() - 1)[1] = i + 1;
            } else if (end >= 0) {
                out.add(new int[] {i, i + 1});
            }
            running = checkpoint;
        }
        return out;
    }

    private static boolean isCheckpoint(Node n) {
        Graph body = body(n);
        return body != null
                && body.nodes().stream().anyMatch(inner -> inner.stackTrace().contains(CheckpointLine.FILE));
    }

    /** What a node runs in another mode of gradients; {@code null} for other nodes. */
    private static @Nullable Graph body(Node n) {
        for (Node.NamedArgument a : n.target().startsWith(WRAPPER) ? n.arguments() : List.<Node.NamedArgument>of()) {
            if (a.value() instanceof Argument.Subgraph s) {
                return s.graph();
            }
        }
        return null;
    }

    /** What the values of a body are called outside; what it hands through is what it was given. */
    private static Map<String, String> inside(Node wrapper, Graph body, Map<String, String> around) {
        Map<String, String> names = new HashMap<>();
        BodyCall call = BodyCall.of(wrapper);
        if (call != null) {
            call.bound().forEach((in, outside) -> names.put(in, around.getOrDefault(outside, outside)));
        }
        for (Node n : body.nodes()) {
            n.outputs().stream().filter(o -> o != null).forEach(o -> names.put(o, wrapper.name() + "/" + o));
        }
        for (int i = 0; i < body.outputs().size() && i < wrapper.outputs().size(); i++) {
            String out = wrapper.outputs().get(i);
            String value = body.outputs().get(i).value();
            if (out != null && body.takes(value)) {
                names.put(out, names.getOrDefault(value, value));
            } else if (out != null && value != null) {
                names.put(value, out);
            }
        }
        return names;
    }

    /** Without the frames of the checkpoint itself, whose function is called {@code forward} like those of modules. */
    private static Node withoutCheckpoint(Node n) {
        String trace = n.stackTrace();
        for (int at = trace.indexOf(CheckpointLine.FILE); at >= 0; at = trace.indexOf(CheckpointLine.FILE)) {
            int begin = Math.max(0, trace.lastIndexOf(CheckpointLine.FRAME, at));
            int end = trace.indexOf(CheckpointLine.FRAME, at);
            trace = trace.substring(0, begin) + (end < 0 ? "" : trace.substring(end));
        }
        return n.withStackTrace(trace);
    }
}
