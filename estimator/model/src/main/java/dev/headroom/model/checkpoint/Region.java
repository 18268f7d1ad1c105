package dev.headroom.model.checkpoint;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Operators that one checkpoint wraps.
 *
 * @param from first node
 * @param to one after the last node
 * @param held parameters, buffers and constants that it reads
 * @param inputs other values that it reads or is given
 * @param outputs values that it makes and others read, in order
 * @param keywords whether all inputs but the first are keywords of the call: a function keeps them that Python keeps
 *     for as long as the checkpoint's node
 */
public record Region(int from, int to, List<String> held, List<String> inputs, List<String> outputs, boolean keywords) {
    /** Of a range of nodes. */
    public static Region of(Graph graph, int from, int to) {
        return of(graph, from, to, List.of());
    }

    /** @param given values that are handed to the region whether or not it reads them */
    static Region of(Graph graph, int from, int to, List<String> given) {
        return of(graph, from, to, given, lastReaders(graph));
    }

    /** The last node that reads each value; a value that the graph gives is read after all nodes. */
    static Map<String, Integer> lastReaders(Graph graph) {
        Map<String, Integer> last = new HashMap<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            for (String value : graph.nodes().get(i).reads()) {
                last.put(value, i);
            }
        }
        graph.outputs().forEach(o -> last.put(o.value(), graph.nodes().size()));
        return last;
    }

    /** @param lastReaders of the graph, found once for many regions */
    static Region of(Graph graph, int from, int to, List<String> given, Map<String, Integer> lastReaders) {
        Set<String> ofModel = new HashSet<>();
        graph.inputs().stream().filter(i -> i.kind() != Graph.InputKind.USER).forEach(i -> ofModel.add(i.value()));
        List<Node> nodes = graph.nodes();
        Set<String> held = new LinkedHashSet<>();
        Set<String> inputs = new LinkedHashSet<>();
        Set<String> made = new LinkedHashSet<>();
        for (Node node : nodes.subList(from, to)) {
            for (String used : node.reads()) {
                if (!made.contains(used)) {
                    (ofModel.contains(used) ? held : inputs).add(used);
                }
            }
            node.outputs().stream().filter(o -> o != null).forEach(made::add);
        }
        inputs.addAll(given);
        made.removeIf(v -> lastReaders.getOrDefault(v, -1) < to);
        return new Region(from, to, List.copyOf(held), List.copyOf(inputs), new ArrayList<>(made), false);
    }

    /** The same, called with keywords. */
    Region withKeywords() {
        return new Region(from, to, held, inputs, outputs, true);
    }

    /** The same, so many nodes further on. */
    public Region shifted(int by) {
        return new Region(from + by, to + by, held, inputs, outputs, keywords);
    }

    /** Whether an operator writes its result into its first argument. */
    public static boolean changesInPlace(Node node) {
        return node.operator().endsWith("_")
                && !node.operator().endsWith("__")
                && !node.reads().isEmpty();
    }

    /**
     * Autograd refuses saved inputs that were changed in place (torch/csrc/autograd/saved_variable.cpp, unpack) and
     * changes of leaves that require gradients, which the inputs of a re-entrant recomputation are.
     */
    void refuseChangedInputs(Graph graph) {
        for (Node node : graph.nodes().subList(from, to)) {
            if (changesInPlace(node) && inputs.contains(node.reads().get(0))) {
                throw new UserInputException("checkpoint that begins with '"
                        + graph.nodes().get(from).module() + "': " + node.operator() + " in '" + node.module()
                        + "' changes the checkpoint's input in place, which PyTorch refuses in the"
                        + " backward pass; choose"
                        + " other segments or modules");
            }
        }
    }
}
