package dev.headroom.executor.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tensors of literals that a program makes on the device, as {@code torch.tensor([1.0, 2.0], device=x.device)} does. A
 * graph reads them as constants, which are in host memory; one with dimensions that meets a tensor of the device can
 * only have been made there, for PyTorch refuses the others.
 */
final class Literals {
    /** A step of making one before the last, where the model is exported on a GPU. */
    private static final String LIFTED = "aten.lift_fresh_copy";

    /** What returns a tensor that it is given, in the same memory. */
    private static final Set<String> SAME = Set.of(LIFTED, "aten.detach", "aten.alias");

    /** Brings what it is given to the device of its second operand, in that one's type. */
    private static final String TO_OTHER = "aten.type_as";

    /** Operators that take a literal from host memory. */
    private static final Set<String> FROM_HOST = Set.of("aten.to", "aten._to_copy", LIFTED);

    /** Operators that bring a list of places to the device themselves, each time anew: {@code x[:, [2, 0]]}. */
    private static final Set<String> BRINGING = Set.of("aten.index", "aten.index_put", "aten.index_put_");

    /** What is left of {@code torch.tensor}: the last step of making one. */
    private static final String MADE = "aten.detach_";

    private final Graph graph;
    private final FollowedTypes types;
    private final Set<String> constants = new HashSet<>();
    private final Map<String, List<Node>> readers = new HashMap<>();

    /** Literals by another name: {@code aten.detach_} returns what it is given. */
    private final Map<String, String> made = new HashMap<>();

    private Literals(Graph graph) {
        this.graph = graph;
        this.types = new FollowedTypes(graph);
    }

    /** The graph, in which the device's literals are made where the program makes them. */
    static Graph onDevice(Graph graph) {
        Literals literals = new Literals(graph);
        Set<String> numbers = literals.numbersOnDevice();
        graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.CONSTANT)
                .map(Graph.Input::value)
                .filter(value -> literals.hasDimensions(value) || numbers.contains(value))
                .forEach(literals.constants::add);
        return literals.constants.isEmpty() ? graph : literals.rewritten();
    }

    private boolean hasDimensions(String value) {
        TensorMeta meta = graph.values().get(value);
        return meta != null && !meta.sizes().isEmpty();
    }

    /** What is made by a line that names a device, as {@code torch.tensor(1.0, device=x.device)}. */
    private Set<String> numbersOnDevice() {
        Set<String> out = new HashSet<>();
        for (Node n : graph.nodes()) {
            if (n.operator().equals(MADE) && SourceLine.innermost(n).text().contains("device=")) {
                out.addAll(n.reads());
            }
        }
        return out;
    }

    private Graph rewritten() {
        Map<String, String> lifted = new HashMap<>();
        for (Node n : graph.nodes()) {
            n.reads().forEach(r -> readers.computeIfAbsent(r, k -> new ArrayList<>(2))
                    .add(n));
            String given = n.reads().isEmpty() ? "" : n.reads().get(0);
            String literal = lifted.getOrDefault(given, given);
            if (constants.contains(literal)) {
                if (SAME.contains(n.operator())) {
                    lifted.put(n.outputs().get(0), literal);
                } else if (n.operator().equals(MADE)) {
                    made.put(n.outputs().get(0), literal);
                }
            }
        }
        Map<String, String> copies = new HashMap<>();
        List<Node> out = new ArrayList<>(graph.nodes().size());
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node n = graph.nodes().get(i);
            String own = n.outputs().isEmpty() ? null : n.outputs().get(0);
            String number = own == null ? null : made.get(own);
            if (own != null && number != null && meetsDevice(own, number)) {
                out.add(creation(i, own, number).withSeen(n.seen()));
                continue;
            }
            Argument type = own == null ? null : broughtAs(n);
            String given = type == null ? "" : literal(n.reads().get(0), lifted);
            if (own != null && type != null && hasDimensions(given) && constants.contains(given)) {
                out.add(creation(n, own, given, type).withSeen(n.seen()));
                continue;
            }
            Map<String, String> brought = new HashMap<>();
            for (String r : new HashSet<>(n.reads())) {
                if (BRINGING.contains(n.operator()) && constants.contains(r) && hasDimensions(r)) {
                    brought.put(r, r + "/device" + i);
                    out.add(creation(i, r + "/device" + i, r));
                } else if (constants.contains(r)
                        && !n.operator().equals(MADE)
                        && meetsDevice(n)
                        && !copies.containsKey(r)) {
                    copies.put(r, r + "/device");
                    out.add(creation(i, r + "/device", r));
                }
            }
            Map<String, String> names = brought.isEmpty() ? copies : brought;
            out.add(FROM_HOST.contains(n.operator()) ? n : reading(n, names));
        }
        return graph.withNodes(out);
    }

    /** The type of what a node brings from host memory to the device; {@code null} for others. */
    private @Nullable Argument broughtAs(Node n) {
        if (n.reads().isEmpty()) {
            return null;
        }
        if (n.operator().equals(TO_OTHER)) {
            return meetsDevice(n) ? new Argument.TypeOf(n.reads().get(1)) : null;
        }
        if (!n.operator().equals("aten.to") || !n.goesToDevice()) {
            return null;
        }
        Argument asked = n.argument("dtype");
        return asked instanceof Argument.Type || asked instanceof Argument.TypeOf
                ? asked
                : new Argument.Type(type(graph.values().get(n.reads().get(0))));
    }

    private String literal(String value, Map<String, String> lifted) {
        String same = made.getOrDefault(value, value);
        return lifted.getOrDefault(same, same);
    }

    /** Whether a reader takes the literal together with a tensor of the device. */
    private boolean meetsDevice(String literal, String constant) {
        List<Node> all = readers.getOrDefault(literal, List.of());
        return all.stream().noneMatch(n -> FROM_HOST.contains(n.operator()))
                && (!hasDimensions(constant) || all.stream().anyMatch(this::meetsDevice));
    }

    private boolean meetsDevice(Node n) {
        if (BRINGING.contains(n.operator())) {
            return false;
        }
        // The scales of quantised weights are no literals, and lie on the device beside them.
        return !FROM_HOST.contains(n.operator())
                && !n.operator().startsWith("bitsandbytes.")
                && n.reads().stream().anyMatch(r -> !constants.contains(r) && !made.containsKey(r));
    }

    /** A node that makes a tensor as a constant is, at the place of another. */
    private Node creation(int at, String name, String constant) {
        String like = types.followed(at);
        Argument type =
                like == null ? new Argument.Type(type(graph.values().get(constant))) : new Argument.TypeOf(like);
        return creation(graph.nodes().get(at), name, constant, type);
    }

    private Node creation(Node n, String name, String constant, Argument type) {
        TensorMeta meta = graph.values().get(constant);
        return new Node(
                name,
                "aten.zeros.default",
                List.of(
                        new Node.NamedArgument("size", new Argument.Ints(meta == null ? List.of() : meta.sizes())),
                        new Node.NamedArgument("dtype", type)),
                List.of(name),
                n.moduleStack(),
                n.stackTrace());
    }

    private static DType type(@Nullable TensorMeta meta) {
        return meta == null ? DType.FLOAT32 : meta.dtype();
    }

    private static Node reading(Node n, Map<String, String> names) {
        if (n.reads().stream().noneMatch(names::containsKey)) {
            return n;
        }
        return n.reading(v -> names.getOrDefault(v, v));
    }
}
