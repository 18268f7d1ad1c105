package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.memo.GraphMemo;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The calls of modules that a graph's nodes were traced in, as a tree. */
public final class ModuleCalls {
    /**
     * A call.
     *
     * @param from first node
     * @param to one after the last node
     * @param depth position in the module stacks of its nodes
     */
    public record Call(Node.ModuleCall module, int from, int to, int depth, List<Call> children) {
        /** Path of the module, such as {@code layer1.0}. */
        public String path() {
            return module.path();
        }

        /** Class name of the module. */
        public String type() {
            return module.type();
        }

        /** The last part of the path. */
        public String name() {
            return path().substring(path().lastIndexOf('.') + 1);
        }

        /** Position in its container, or -1 where it has a name. */
        public int index() {
            return name().matches("\\d{1,6}") ? Integer.parseInt(name()) : -1;
        }

        /** Whether it is {@code torch.nn.Sequential} itself, not a class made from it. */
        public boolean isSequential() {
            return type().equals("torch.nn.modules.container.Sequential");
        }
    }

    private static final GraphMemo<List<Call>> ROOTS =
            new GraphMemo<>(graph -> read(graph.nodes(), 0, graph.nodes().size(), 0));

    private ModuleCalls() {}

    /** The outermost calls, in order. */
    public static List<Call> roots(Graph graph) {
        return ROOTS.of(graph);
    }

    private static List<Call> read(List<Node> nodes, int from, int to, int depth) {
        List<Call> calls = new ArrayList<>();
        int i = from;
        while (i < to) {
            Node.ModuleCall module = at(nodes.get(i), depth);
            if (module == null) {
                i++;
                continue;
            }
            int last = i;
            for (int k = i + 1; k < to; k++) {
                Node.ModuleCall other = at(nodes.get(k), depth);
                if (other != null && other.call().equals(module.call())) {
                    last = k;
                } else if (!nodes.get(k).moduleStack().isEmpty()) {
                    break;
                }
            }
            calls.add(new Call(module, i, last + 1, depth, read(nodes, i, last + 1, depth + 1)));
            i = last + 1;
        }
        return List.copyOf(calls);
    }

    private static Node.@Nullable ModuleCall at(Node node, int depth) {
        return depth < node.moduleStack().size() ? node.moduleStack().get(depth) : null;
    }

    /** The outermost calls below {@code roots} (themselves included) that fit. */
    static List<Call> outermost(List<Call> roots, Predicate<Call> fits) {
        List<Call> out = new ArrayList<>();
        addOutermost(roots, fits, out);
        return out;
    }

    private static void addOutermost(List<Call> roots, Predicate<Call> fits, List<Call> to) {
        for (Call c : roots) {
            if (fits.test(c)) {
                to.add(c);
            } else {
                addOutermost(c.children(), fits, to);
            }
        }
    }

    /** The calls that fit and have none that fits below them. */
    static List<Call> innermost(List<Call> roots, Predicate<Call> fits) {
        List<Call> out = new ArrayList<>();
        for (Call c : roots) {
            List<Call> below = innermost(c.children(), fits);
            if (below.isEmpty() && fits.test(c)) {
                out.add(c);
            } else {
                out.addAll(below);
            }
        }
        return out;
    }
}
