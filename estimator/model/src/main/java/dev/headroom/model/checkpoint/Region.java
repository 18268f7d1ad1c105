package dev.headroom.model.checkpoint;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * Operators that one checkpoint wraps.
 *
 * @param from first node
 * @param to one after the last node
 * @param held parameters, buffers and constants that it reads
 * @param inputs other values that it reads or is given
 * @param outputs values that it makes and others read, in order; inputs that it returns as well
 * @param positional how many inputs are positions of the call, from the first: a function keeps the other ones, its
 *     keywords, that Python keeps for as long as the checkpoint's node
 */
public record Region(int from, int to, List<String> held, List<String> inputs, List<String> outputs, int positional) {
    /** Of a range of nodes; for many of them {@link Regions} is made once. */
    public static Region of(Graph graph, int from, int to) {
        return new Regions(graph).of(from, to);
    }

    /** The same, called with keywords but for the first inputs. */
    Region withPositional(int first) {
        return new Region(from, to, held, inputs, outputs, first);
    }

    /** The same, which returns further values, after its own. */
    Region alsoReturning(List<String> values) {
        List<String> all = new ArrayList<>(outputs);
        all.addAll(values);
        return new Region(from, to, held, inputs, List.copyOf(all), positional);
    }

    /** The same, so many nodes further on. */
    public Region shifted(int by) {
        return new Region(from + by, to + by, held, inputs, outputs, positional);
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
