package dev.headroom.model.parts;

import dev.headroom.model.checkpoint.ModuleCalls;
import dev.headroom.model.checkpoint.ModuleCalls.Call;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What users count when they divide a model: the layers of an {@code nn.ModuleList} where its forward function goes
 * through one; else the modules that it calls one after another, those in an {@code nn.Sequential} one by one.
 * Operators of the function itself cannot be in a list of modules: with all that follows them, and with the modules
 * that the function calls right before them, they are the last item, the head of a classifier.
 *
 * @param bounds item k has the nodes from {@code bounds[k]} to before {@code bounds[k + 1]}; nodes before the first
 *     item go with it, those after the last one with that
 * @param depth entries of the module stacks above the items, by item
 * @param layers whether they are the layers of a list
 */
record Items(List<Integer> bounds, List<Integer> depth, boolean layers) {
    int count() {
        return bounds.size() - 1;
    }

    static Items of(Graph graph) {
        Items layers = layers(graph);
        return layers == null ? chain(graph) : layers;
    }

    /** The longest run of calls whose container is not called itself, of the outermost module that has one. */
    private static @Nullable Items layers(Graph graph) {
        ArrayDeque<Call> next = new ArrayDeque<>(ModuleCalls.roots(graph));
        while (!next.isEmpty()) {
            Call parent = next.poll();
            Map<String, List<Call>> lists = parent.children().stream()
                    .filter(c -> c.index() >= 0 && !ModelState.owner(c.path()).equals(parent.path()))
                    .collect(Collectors.groupingBy(c -> ModelState.owner(c.path())));
            for (List<Call> list : lists.values()) {
                if (list.size() > 1
                        && 2 * (list.get(list.size() - 1).to() - list.get(0).from()) > size(graph)) {
                    List<Integer> bounds =
                            new ArrayList<>(list.stream().map(Call::from).toList());
                    bounds.add(list.get(list.size() - 1).to());
                    return new Items(bounds, list.stream().map(Call::depth).toList(), true);
                }
            }
            next.addAll(parent.children());
        }
        return null;
    }

    private static int size(Graph graph) {
        return graph.nodes().size();
    }

    private static Items chain(Graph graph) {
        List<Integer> bounds = new ArrayList<>();
        List<Integer> depth = new ArrayList<>();
        for (Call root : ModuleCalls.roots(graph)) {
            int head = head(graph, root);
            for (Call c : root.children()) {
                if (c.from() < head) {
                    add(c, bounds, depth);
                }
            }
            if (head < root.to()) {
                bounds.add(head);
                depth.add(root.depth());
            }
        }
        bounds.add(graph.nodes().size());
        return new Items(bounds, depth, false);
    }

    private static void add(Call c, List<Integer> bounds, List<Integer> depth) {
        if (!c.isSequential()) {
            bounds.add(c.from());
            depth.add(c.depth());
            return;
        }
        int k = 0;
        for (Call inner : c.children()) {
            for (; k < inner.index(); k++) { // a module that runs no operator
                bounds.add(inner.from());
                depth.add(inner.depth());
            }
            bounds.add(inner.from());
            depth.add(inner.depth());
            k++;
        }
    }

    /** Where the head begins: with the first operator of the function itself, or with what it calls before that. */
    private static int head(Graph graph, Call root) {
        int own = root.from();
        while (own < root.to() && !isOwn(graph.nodes().get(own), root)) {
            own++;
        }
        if (own == root.to() || 2 * (own - root.from()) < root.to() - root.from()) {
            return root.to();
        }
        int head = own;
        for (Call c : root.children()) {
            if (c.to() == own && !c.isSequential()) {
                head = c.from();
            }
        }
        return head;
    }

    private static boolean isOwn(Node node, Call root) {
        return node.moduleStack().size() == root.depth() + 1;
    }
}
