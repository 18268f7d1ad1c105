package dev.headroom.model.graph;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
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

    /** Sizes under names that the graph does not know. */
    private final Map<String, Long> own = new LinkedHashMap<>();

    private final Map<String, String> askedBy = new LinkedHashMap<>();

    /** The first dimension of an input that shows a symbol; {@code null} before one is looked for. */
    private @Nullable Map<String, String> places;

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
        binding.bindOwnNames(used);
        binding.requireAll(used);
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
                    "`batch=" + batch + "` cannot be applied: the model has no input with a batch dimension");
        }
        if (isConstant(size) && size.evaluate(Map.of()) != batch) {
            throw new UserInputException(
                    "`batch=" + batch + "` cannot be applied: the model was exported with a fixed batch size of " + size
                            + "; export it again with dynamic_shapes that leave the first dimension open");
        }
        solve(size, batch, "`batch=" + batch + "`");
        for (String other : furtherBatches(graph)) {
            if (!bound.containsKey(other)) {
                set(other, batch, "`batch=" + batch + "`");
            }
        }
    }

    /**
     * Places whose size {@code --batch} sets though they have a symbol of their own.
     *
     * @param dims the sizes that were asked for by name
     * @return such as {@code y.0}
     */
    public static List<String> alsoBatch(Graph graph, Map<String, Long> dims) {
        SymbolBinding binding = new SymbolBinding(graph);
        return furtherBatches(graph).stream()
                .filter(symbol -> !dims.containsKey(symbol))
                .map(binding::place)
                .filter(place -> !dims.containsKey(place))
                .toList();
    }

    /** Symbols that are the first size of inputs and nothing else: inputs that were exported without a common Dim. */
    private static List<String> furtherBatches(Graph graph) {
        SymExpr batch = batchSize(graph);
        Set<String> symbols = new LinkedHashSet<>();
        firstSizes(graph).forEach(size -> {
            if (size instanceof SymExpr.Symbol s) {
                symbols.add(s.name());
            }
        });
        for (TensorMeta meta : userInputs(graph)) {
            meta.sizes().stream().skip(1).forEach(size -> size.forEachSymbol(symbols::remove));
        }
        if (batch != null) {
            batch.forEachSymbol(symbols::remove);
        }
        return List.copyOf(symbols);
    }

    private static List<SymExpr> firstSizes(Graph graph) {
        List<SymExpr> out = new ArrayList<>();
        for (TensorMeta meta : userInputs(graph)) {
            if (!meta.sizes().isEmpty()) {
                out.add(meta.sizes().get(0));
            }
        }
        return out;
    }

    private static List<TensorMeta> userInputs(Graph graph) {
        List<TensorMeta> out = new ArrayList<>();
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta =
                    input.kind() == Graph.InputKind.USER ? graph.values().get(input.value()) : null;
            if (meta != null) {
                out.add(meta);
            }
        }
        return out;
    }

    /** The first open first dimension of the user's inputs, else the first fixed one, else {@code null}. */
    private static @Nullable SymExpr batchSize(Graph graph) {
        List<SymExpr> firsts = firstSizes(graph);
        return firsts.stream()
                .filter(size -> !isConstant(size))
                .findFirst()
                .orElse(firsts.isEmpty() ? null : firsts.get(0));
    }

    private void bindNamed(String name, Long value) {
        String asked = "`dims=" + name + "=" + value + "`";
        if (graph.symbols().containsKey(name)) {
            set(name, value, asked);
            return;
        }
        SymExpr size = dimension(name);
        if (size == null) {
            own.put(name, value);
            return;
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
                    asked + " cannot be applied: the size is " + size + "; name its symbols with `dims`");
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

    /**
     * An archive holds no names of {@code torch.export.Dim}: one that a user writes nevertheless means the size that
     * nothing else sets, where there is just one.
     */
    private void bindOwnNames(Set<String> used) {
        for (Map.Entry<String, Long> e : own.entrySet()) {
            String asked = "`dims=" + e.getKey() + "=" + e.getValue() + "`";
            List<String> unset =
                    used.stream().filter(symbol -> !bound.containsKey(symbol)).toList();
            boolean clear = unset.size() == 1 && own.size() == 1 && e.getKey().matches("[A-Za-z_]\\w*");
            if (!clear || ofBatch().contains(unset.get(0))) {
                throw new UserInputException(asked + " names nothing in the model"
                        + Suggestion.of(e.getKey(), openSizes()) + "; open sizes are " + listed(openSizes()));
            }
            set(unset.get(0), e.getValue(), asked);
        }
    }

    private List<String> ofBatch() {
        List<String> symbols = new ArrayList<>();
        SymExpr batch = batchSize(graph);
        if (batch != null) {
            batch.forEachSymbol(symbols::add);
        }
        return symbols;
    }

    private void requireAll(Set<String> used) {
        List<String> batch = ofBatch();
        NavigableSet<String> words = new TreeSet<>(); // the batch comes first
        for (String symbol : used) {
            if (!bound.containsKey(symbol)) {
                String word = batch.contains(symbol) ? "`batch=N`" : "`dims=" + place(symbol) + "=N`";
                if (!words.add(word)) {
                    words.add("`dims=" + symbol + "=N`");
                }
            }
        }
        if (!words.isEmpty()) {
            String open = words.size() > 1
                    ? words.size() + " sizes of the model are open"
                    : words.first().startsWith("`batch=")
                            ? "the model's batch size is open"
                            : "a size of the model is open";
            throw new UserInputException(open + ": pass " + String.join(" ", words));
        }
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
        if (places == null) {
            places = places(graph);
        }
        return places.getOrDefault(symbol, symbol);
    }

    private static Map<String, String> places(Graph graph) {
        Map<String, String> places = new HashMap<>();
        for (Graph.Input input : graph.inputs()) {
            TensorMeta meta = graph.values().get(input.value());
            if (input.kind() != Graph.InputKind.USER || meta == null) {
                continue;
            }
            for (int i = 0; i < meta.sizes().size(); i++) {
                if (meta.sizes().get(i) instanceof SymExpr.Symbol s) {
                    places.putIfAbsent(s.name(), input.qualifiedName() + "." + i);
                }
            }
        }
        return places;
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
