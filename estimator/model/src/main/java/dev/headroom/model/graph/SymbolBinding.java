package dev.headroom.model.graph;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides the value of every symbol of a graph from what the user asks for.
 *
 * <p>A symbol must lie in its range, with one exception: torch.export assumes that a dynamic size is neither 0 nor 1
 * and therefore writes 2 as its least value (torch/fx/experimental/symbolic_shapes.py, {@code specialize_zero_one}),
 * though eager PyTorch runs the model with 1 all the same. A range that starts at 2 admits 1.
 */
public final class SymbolBinding {
    private final Graph graph;
    private final Map<String, Long> bound = new LinkedHashMap<>();
    private final Map<String, String> askedBy = new LinkedHashMap<>();

    private SymbolBinding(Graph graph) {
        this.graph = graph;
    }

    /**
     * Binds the symbols and checks that every size of the graph is possible under them.
     *
     * @param batch the size of the first dimension of the user's inputs, or {@code null} if it is not asked for
     * @param dims further sizes, by symbol ({@code s33}) or by input and dimension ({@code x.1})
     * @return a value for every symbol that the graph's sizes depend on
     * @throws UserInputException if a size is missing, unknown, contradictory, out of range, or makes a tensor
     *     impossible
     */
    public static Map<String, Long> bind(Graph graph, @Nullable Long batch, Map<String, Long> dims) {
        SymbolBinding binding = new SymbolBinding(graph);
        dims.forEach(binding::bindNamed);
        if (batch != null) {
            binding.bindBatch(batch);
        }
        WorstCase.bind(graph, binding.bound);
        Set<String> used = GraphSizes.symbols(graph);
        used.forEach(binding::require);
        binding.bound.forEach(binding::checkRange);
        GraphSizes.check(graph, binding.bound);
        return Map.copyOf(binding.bound);
    }

    /** Whether the graph's batch size is open, that is, whether {@link #bind} needs one. */
    public static boolean hasBatch(Graph graph) {
        SymExpr size = batchSize(graph);
        return size != null && !isConstant(size);
    }

    private void bindBatch(long batch) {
        SymExpr size = batchSize(graph);
        if (size == null) {
            throw new UserInputException(
                    "--batch " + batch + " cannot be applied: the model has no input with a batch dimension");
        }
        if (isConstant(size) && size.evaluate(Map.of()) != batch) {
            throw new UserInputException(
                    "--batch " + batch + " cannot be applied: the model was exported with a fixed batch size of " + size
                            + "; export it again with dynamic_shapes that leave the first dimension open");
        }
        solve(size, batch, "--batch " + batch);
    }

    /** The first open first dimension of the user's inputs, else the first fixed one, else {@code null}. */
    private static @Nullable SymExpr batchSize(Graph graph) {
        SymExpr fixed = null;
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() != Graph.InputKind.USER
                    || meta == null
                    || meta.sizes().isEmpty()) {
                continue;
            }
            SymExpr first = meta.sizes().get(0);
            if (!isConstant(first)) {
                return first;
            }
            fixed = fixed == null ? first : fixed;
        }
        return fixed;
    }

    private void bindNamed(String name, Long value) {
        String asked = "--dim " + name + "=" + value;
        if (graph.symbols().containsKey(name)) {
            set(name, value, asked);
            return;
        }
        SymExpr size = dimension(name);
        if (size == null) {
            throw new UserInputException(asked + " names nothing in the model" + Suggestion.of(name, openSizes())
                    + "; open sizes are " + listed(openSizes()));
        }
        if (isConstant(size) && size.evaluate(Map.of()) != value) {
            throw new UserInputException(
                    asked + " cannot be applied: the model was exported with " + name + " fixed at " + size);
        }
        solve(size, value, asked);
    }

    /** The size that {@code input.dimension} names, or {@code null}. */
    private @Nullable SymExpr dimension(String name) {
        int dot = name.lastIndexOf('.');
        String digits = name.substring(dot + 1);
        if (dot < 0
                || digits.isEmpty()
                || digits.length() > 3
                || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        int index = Integer.parseInt(digits);
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() == Graph.InputKind.USER
                    && input.qualifiedName().equals(name.substring(0, dot))
                    && meta != null
                    && index < meta.sizes().size()) {
                return meta.sizes().get(index);
            }
        }
        return null;
    }

    /** Finds the symbol's value that gives the size; sizes of inputs are at most linear in one symbol. */
    private void solve(SymExpr size, long value, String asked) {
        Set<String> symbols = new LinkedHashSet<>();
        size.forEachSymbol(symbols::add);
        if (symbols.isEmpty()) {
            return;
        }
        String symbol = symbols.iterator().next();
        if (size instanceof SymExpr.Symbol) {
            set(symbol, value, asked);
            return;
        }
        if (symbols.size() > 1) {
            throw new UserInputException(
                    asked + " cannot be applied: the size is " + size + "; name its symbols with --dim");
        }
        Long solution = solution(size, symbol, value);
        if (solution == null) {
            throw new UserInputException(
                    asked + " cannot be applied: the size is " + size + ", which is never " + value);
        }
        set(symbol, solution, asked);
    }

    private static @Nullable Long solution(SymExpr size, String symbol, long value) {
        try {
            long atOne = size.evaluate(Map.of(symbol, 1L));
            long step = Math.subtractExact(size.evaluate(Map.of(symbol, 2L)), atOne);
            long guess = step == 0 ? 1 : Math.addExact(1, Math.subtractExact(value, atOne) / step);
            return size.evaluate(Map.of(symbol, guess)) == value ? guess : null;
        } catch (ArithmeticException overflow) {
            return null;
        }
    }

    private void set(String symbol, long value, String asked) {
        Long before = bound.putIfAbsent(symbol, value);
        if (before != null && before != value) {
            throw new UserInputException(asked + " contradicts " + askedBy.get(symbol) + ": both set " + symbol);
        }
        askedBy.putIfAbsent(symbol, asked);
    }

    private void require(String symbol) {
        if (bound.containsKey(symbol)) {
            return;
        }
        SymExpr batch = batchSize(graph);
        List<String> ofBatch = new ArrayList<>();
        if (batch != null) {
            batch.forEachSymbol(ofBatch::add);
        }
        if (ofBatch.contains(symbol)) {
            throw new UserInputException("the model's batch size is open: pass --batch N");
        }
        throw new UserInputException("the model's size " + symbol + " is open: pass --dim " + place(symbol) + "=N");
    }

    private void checkRange(String symbol, long value) {
        Graph.SymbolRange range = graph.symbols().get(symbol);
        if (range == null) {
            return;
        }
        long min = range.min() == 2 ? 1 : Math.max(range.min(), 0);
        if (value < min || value > range.max()) {
            throw new UserInputException(askedBy.get(symbol) + " is out of range: the model was exported for "
                    + place(symbol)
                    + (range.max() == Long.MAX_VALUE ? " of at least " + min : " from " + min + " to " + range.max()));
        }
    }

    /** How a user names the symbol: by the input's dimension that shows it, if any does. */
    private String place(String symbol) {
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() != Graph.InputKind.USER || meta == null) {
                continue;
            }
            for (int i = 0; i < meta.sizes().size(); i++) {
                if (meta.sizes().get(i) instanceof SymExpr.Symbol s && s.name().equals(symbol)) {
                    return input.qualifiedName() + "." + i;
                }
            }
        }
        return symbol;
    }

    private List<String> openSizes() {
        List<String> open = new ArrayList<>();
        graph.symbols().keySet().forEach(symbol -> open.add(place(symbol)));
        return open;
    }

    private static String listed(List<String> open) {
        return open.isEmpty() ? "none" : String.join(", ", open);
    }

    private static boolean isConstant(SymExpr size) {
        boolean[] constant = {true};
        size.forEachSymbol(symbol -> constant[0] = false);
        return constant[0];
    }
}
