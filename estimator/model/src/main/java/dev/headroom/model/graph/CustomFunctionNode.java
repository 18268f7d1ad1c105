package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Node.NamedArgument;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@code torch.autograd.Function}, as recorded programs have it: the target
 * {@code higher_order.autograd_function} with the arguments {@code name, backward, results, attributes, forward} and
 * then the function's tensors.
 *
 * <p>{@code forward} takes those tensors and gives the results, behind them what the function keeps. {@code backward}
 * takes a gradient for each result and what was kept, and gives a gradient for each tensor or nothing.
 *
 * @param name of the function's class
 * @param results how many of the forward pass's outputs are the function's own
 * @param attributes which of the others it keeps as attributes of {@code ctx}
 * @param inputs names of the tensors, {@code null} for one that is absent
 */
public record CustomFunctionNode(
        String name,
        Argument.Subgraph backward,
        int results,
        BitSet attributes,
        Argument.Subgraph forward,
        List<@Nullable String> inputs) {
    private static final String TARGET = "higher_order.autograd_function";

    private static final int MOST = 100_000;

    /** Whether a node is such a call. */
    public static boolean isOne(Node node) {
        return node.target().equals(TARGET);
    }

    /**
     * Reads the call.
     *
     * @throws UserInputException for arguments that are not as described, or passes that do not fit together
     */
    public static CustomFunctionNode of(Node node) {
        List<NamedArgument> a = node.arguments();
        if (a.size() < 5
                || !(a.get(0).value() instanceof Argument.Text name)
                || !(a.get(1).value() instanceof Argument.Subgraph backward)
                || !(a.get(2).value() instanceof Argument.Int results)
                || !(a.get(3).value() instanceof Argument.Ints attributes)
                || !(a.get(4).value() instanceof Argument.Subgraph forward)) {
            throw new UserInputException("the node " + node.name()
                    + " is no call of a custom function: its arguments are name, backward, results, attributes,"
                    + " forward and the inputs");
        }
        List<@Nullable String> inputs = new ArrayList<>();
        for (NamedArgument input : a.subList(5, a.size())) {
            inputs.add(input.value() instanceof Argument.Value v ? v.name() : null);
        }
        BitSet kept = new BitSet();
        attributes.values().forEach(i -> kept.set(count(i)));
        CustomFunctionNode call =
                new CustomFunctionNode(name.value(), backward, count(results.value()), kept, forward, inputs);
        int outputs = forward.graph().outputs().size();
        if (forward.graph().inputs().size() != inputs.size()
                || outputs < call.results
                || backward.graph().inputs().size() != outputs
                || backward.graph().outputs().size() != inputs.size()) {
            throw new UserInputException("the passes of the custom function " + node.name() + " do not fit together");
        }
        return call;
    }

    private static int count(SymExpr value) {
        List<String> symbols = new ArrayList<>();
        value.forEachSymbol(symbols::add);
        long number = symbols.isEmpty() ? value.evaluate(Map.of()) : -1;
        if (number < 0 || number > MOST) {
            throw new UserInputException("a custom function counts " + value + " tensors");
        }
        return (int) number;
    }
}
