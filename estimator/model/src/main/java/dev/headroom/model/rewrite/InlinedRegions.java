package dev.headroom.model.rewrite;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Graphs with the bodies of higher-order operators, {@code wrap_with_set_grad_enabled} and {@code
 * wrap_with_autocast}, in their place, between two nodes that switch a mode on and off: {@code with torch.no_grad():}
 * opens no scope in Python, so variables of its lines outlive it.
 */
public final class InlinedRegions {
    /** Stands before a body; its arguments are the mode's. */
    public static final String ENTER = "region.enter";

    /** Stands behind it. */
    public static final String LEAVE = "region.leave";

    /** Argument of {@link #ENTER}: whether autograd records. */
    public static final String GRADIENTS = "gradients";

    /** Argument of {@link #ENTER}: whether autocast is on. */
    public static final String AUTOCAST = "autocast";

    /** Argument of {@link #ENTER} beside {@link #AUTOCAST}: the type that it converts to. */
    public static final String TYPE = "type";

    /** Argument of {@link #ENTER} beside {@link #AUTOCAST}: whether it keeps what it converted of weights. */
    public static final String CACHE = "cache";

    private static final String SET_GRAD_ENABLED = "higher_order.wrap_with_set_grad_enabled";
    private static final String WITH_AUTOCAST = "higher_order.wrap_with_autocast";

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, TensorMeta> values;

    private InlinedRegions(Map<String, TensorMeta> values) {
        this.values = new HashMap<>(values);
    }

    /** Whether a node switches a mode. */
    public static boolean isSwitch(Node node) {
        return node.target().equals(ENTER) || node.target().equals(LEAVE);
    }

    /** The graph itself when it has no such operators. */
    public static Graph of(Graph graph) {
        if (graph.nodes().stream().noneMatch(InlinedRegions::isWrapper)) {
            return graph;
        }
        InlinedRegions flat = new InlinedRegions(graph.values());
        flat.add(graph, RegionNames.OF_GRAPH);
        return graph.withNodes(flat.nodes).withValues(flat.values);
    }

    private static boolean isWrapper(Node n) {
        return n.target().startsWith(SET_GRAD_ENABLED) || n.target().startsWith(WITH_AUTOCAST);
    }

    /** @param names of the graph's values where they have others */
    private void add(Graph from, RegionNames names) {
        for (Node n : from.nodes()) {
            if (isWrapper(n)) {
                addBody(n, names);
            } else {
                nodes.add(names.isEmpty() ? n : n.renamed(names::of));
            }
        }
    }

    private void addBody(Node wrapper, RegionNames around) {
        BodyCall call = BodyCall.of(wrapper);
        if (call == null) {
            throw new UserInputException(wrapper.target() + " in '" + wrapper.module() + "' has no body");
        }
        Graph body = call.body().graph();
        List<Node.NamedArgument> mode = mode(wrapper);
        RegionNames names = around.inside(wrapper, call);
        body.values().forEach((name, meta) -> values.put(names.of(name), meta));
        if (!body.nodes().isEmpty()) {
            List<Node.ModuleCall> place = place(wrapper, body);
            nodes.add(mark(wrapper, ENTER, mode, place));
            add(body, names);
            nodes.add(mark(wrapper, LEAVE, List.of(), place)
                    .withSeen(wrapper.seen().with(around::of)));
        }
        for (int i = 0; i < body.outputs().size() && i < wrapper.outputs().size(); i++) {
            String out = wrapper.outputs().get(i);
            String value = body.outputs().get(i).value();
            if (out != null && value != null && body.takes(value)) {
                nodes.add(handedOn(wrapper, names.of(value), around.of(out)));
            }
        }
    }

    /** What is switched: what a wrapper is told before its body. */
    private static List<Node.NamedArgument> mode(Node wrapper) {
        List<Node.NamedArgument> mode = new ArrayList<>();
        for (Node.NamedArgument a : wrapper.arguments()) {
            if (a.value() instanceof Argument.Subgraph) {
                break;
            } else if (a.value() instanceof Argument.Type) {
                mode.add(new Node.NamedArgument(TYPE, a.value()));
            } else if (a.value() instanceof Argument.Bool) {
                // Autocast is told whether to cache as well, behind whether it is on.
                boolean first = mode.stream().noneMatch(m -> m.value() instanceof Argument.Bool);
                String name = wrapper.target().startsWith(SET_GRAD_ENABLED) ? GRADIENTS : AUTOCAST;
                mode.add(new Node.NamedArgument(first ? name : CACHE, a.value()));
            }
        }
        return mode;
    }

    /** What a region is given and hands on has another name behind it. */
    private static Node handedOn(Node wrapper, String given, String out) {
        return new Node(
                wrapper.name() + "/" + out,
                "aten.alias.default",
                List.of(new Node.NamedArgument("self", new Argument.Value(given))),
                List.of(out),
                wrapper.moduleStack(),
                wrapper.stackTrace());
    }

    /** The calls that a region begins and ends in: its own ones, where all that it runs is inside of them. */
    private static List<Node.ModuleCall> place(Node wrapper, Graph body) {
        List<Node.ModuleCall> first = body.nodes().get(0).moduleStack();
        List<Node.ModuleCall> last = body.nodes().get(body.nodes().size() - 1).moduleStack();
        int depth = common(first, last);
        int own = wrapper.moduleStack().size();
        return first.subList(0, common(wrapper.moduleStack(), first.subList(0, depth)) == own ? own : depth);
    }

    private static int common(List<Node.ModuleCall> a, List<Node.ModuleCall> b) {
        int depth = 0;
        while (depth < Math.min(a.size(), b.size())
                && a.get(depth).call().equals(b.get(depth).call())) {
            depth++;
        }
        return depth;
    }

    private static Node mark(
            Node wrapper, String target, List<Node.NamedArgument> arguments, List<Node.ModuleCall> place) {
        return new Node(wrapper.name() + "/" + target, target, arguments, List.of(), List.copyOf(place), "");
    }
}
