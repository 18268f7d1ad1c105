package dev.headroom.executor.program;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Graphs with the bodies of higher-order operators, {@code wrap_with_set_grad_enabled} and {@code
 * wrap_with_autocast}, in their place, between two nodes that switch a {@link Mode} on and off.
 */
final class Inlined {
    /** Stands before a body; its arguments are the mode's. */
    static final String ENTER = "executor.enter_mode";

    /** Stands behind it. */
    static final String LEAVE = "executor.leave_mode";

    private static final String GRADIENTS = "higher_order.wrap_with_set_grad_enabled";
    private static final String AUTOCAST = "higher_order.wrap_with_autocast";

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, TensorMeta> values;

    private Inlined(Map<String, TensorMeta> values) {
        this.values = new HashMap<>(values);
    }

    /** The graph itself when it has no such operators. */
    static Graph of(Graph archived) {
        Graph graph = CheckpointPlan.withoutBodies(archived);
        if (graph.nodes().stream().noneMatch(Inlined::isWrapper)) {
            return graph;
        }
        Inlined flat = new Inlined(graph.values());
        flat.add(graph, Map.of());
        return graph.withNodes(flat.nodes).withValues(flat.values);
    }

    private static boolean isWrapper(Node n) {
        return n.target().startsWith(GRADIENTS) || n.target().startsWith(AUTOCAST);
    }

    /** @param names of the graph's values where they have others */
    private void add(Graph from, Map<String, String> names) {
        for (Node n : from.nodes()) {
            if (isWrapper(n)) {
                addBody(n, names);
            } else {
                nodes.add(names.isEmpty() ? n : n.renamed(v -> names.getOrDefault(v, v)));
            }
        }
    }

    private void addBody(Node wrapper, Map<String, String> around) {
        if (CustomFunctionNode.isOne(wrapper)) {
            throw new UserInputException("the executor does not run custom functions (torch.autograd.Function, in '"
                    + wrapper.module() + "'); predictions know them");
        }
        List<@Nullable String> given = new ArrayList<>();
        List<Node.NamedArgument> mode = new ArrayList<>();
        Graph body = null;
        for (Node.NamedArgument a : wrapper.arguments()) {
            if (a.value() instanceof Argument.Subgraph s) {
                body = s.graph();
            } else if (body != null) {
                // The body has a place for sizes, too, which have no value.
                given.add(a.value() instanceof Argument.Value v ? around.getOrDefault(v.name(), v.name()) : null);
            } else if (a.value() instanceof Argument.Type) {
                mode.add(new Node.NamedArgument(Mode.TYPE, a.value()));
            } else if (a.value() instanceof Argument.Bool) {
                // Autocast is told whether to cache as well, behind whether it is on.
                boolean first = mode.stream().noneMatch(m -> m.value() instanceof Argument.Bool);
                String name = wrapper.target().startsWith(GRADIENTS) ? Mode.GRADIENTS : Mode.AUTOCAST;
                mode.add(new Node.NamedArgument(first ? name : Mode.CACHE, a.value()));
            }
        }
        if (body == null || body.nodes().isEmpty()) {
            throw new UserInputException(wrapper.target() + " in '" + wrapper.module() + "' has no body");
        }
        Map<String, String> names = names(wrapper, body, given, around);
        body.values().forEach((name, meta) -> values.put(names.getOrDefault(name, name), meta));
        nodes.add(mark(wrapper, ENTER, mode, body.nodes().get(0)));
        add(body, names);
        nodes.add(mark(wrapper, LEAVE, List.of(), body.nodes().get(body.nodes().size() - 1))
                .withSeen(wrapper.seen().with(v -> around.getOrDefault(v, v))));
    }

    /** What the values of a body are called outside. */
    private static Map<String, String> names(
            Node wrapper, Graph body, List<@Nullable String> given, Map<String, String> around) {
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < body.inputs().size() && i < given.size(); i++) {
            String outside = given.get(i);
            if (outside != null) {
                names.put(body.inputs().get(i).value(), outside);
            }
        }
        for (Node n : body.nodes()) {
            n.outputs().stream().filter(o -> o != null).forEach(o -> names.put(o, wrapper.name() + "/" + o));
        }
        for (int i = 0; i < body.outputs().size() && i < wrapper.outputs().size(); i++) {
            String out = wrapper.outputs().get(i);
            if (out != null) {
                names.put(body.outputs().get(i).value(), around.getOrDefault(out, out));
            }
        }
        return names;
    }

    /** A node at the place of another. */
    private static Node mark(Node wrapper, String target, List<Node.NamedArgument> arguments, Node place) {
        String name = wrapper.name() + "/" + target;
        return new Node(name, target, arguments, List.of(), place.moduleStack(), place.stackTrace());
    }
}
