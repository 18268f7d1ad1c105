package dev.headroom.model.dsl;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A root module and its inputs, ready to become a {@link Graph}. */
public final class Model {
    /** Stands for the batch size in an input's sizes. */
    public static final long BATCH = -1;

    private static final String BATCH_SYMBOL = "batch";

    private final String name;
    private final Layer root;
    private final Map<String, TensorMeta> inputs = new LinkedHashMap<>();
    private DType type = DType.FLOAT32;
    private boolean training = true;

    private Model(String name, Layer root) {
        this.name = name;
        this.root = root;
    }

    /** A model without inputs yet. */
    public static Model of(String name, Layer root) {
        return new Model(name, root);
    }

    /** Adds an input; {@link #BATCH} may stand for its first size. */
    public Model input(String inputName, DType type, long... sizes) {
        SymExpr[] symbolic = new SymExpr[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            symbolic[i] = sizes[i] == BATCH ? SymExpr.symbol(BATCH_SYMBOL) : SymExpr.of(sizes[i]);
        }
        return input(inputName, type, symbolic);
    }

    /** Adds an input of sizes that may depend on symbols. */
    public Model input(String inputName, DType type, SymExpr... sizes) {
        List<SymExpr> strides = new ArrayList<>();
        SymExpr next = SymExpr.of(1);
        for (int i = sizes.length - 1; i >= 0; i--) {
            strides.add(0, next);
            next = product(sizes[i], next);
        }
        inputs.put(inputName, new TensorMeta(type, List.of(sizes), strides, SymExpr.of(0), false));
        return this;
    }

    private static SymExpr product(SymExpr a, SymExpr b) {
        if (a instanceof SymExpr.Constant x && b instanceof SymExpr.Constant y) {
            return SymExpr.of(x.value() * y.value());
        }
        return b instanceof SymExpr.Constant one && one.value() == 1 ? a : SymExpr.call("Mul", a, b);
    }

    /** The type of all parameters. */
    public Model type(DType parameters) {
        type = parameters;
        return this;
    }

    /** {@code eval()}: dropout does nothing, batch normalisation takes its running statistics. */
    public Model eval() {
        training = false;
        return this;
    }

    /** Writes the graph of one forward pass. */
    public Graph graph() {
        return graph((scope, arguments) -> scope.results(root, arguments));
    }

    /** What a script does around the model. */
    @FunctionalInterface
    public interface Script {
        /**
         * Writes the operators of the script; it calls the model with {@link Scope#results}.
         *
         * @param inputs of the model, in order
         * @return the graph's outputs
         */
        Value[] write(Scope scope, Value... inputs);
    }

    /** Writes the graph of a script that calls the model. */
    public Graph graph(Script script) {
        ModelParts parts = ModelParts.of(root, type);
        Map<String, TensorMeta> values = new LinkedHashMap<>(parts.values());
        List<Graph.Input> signature = new ArrayList<>(parts.signature());
        Map<String, Graph.SymbolRange> symbols = new LinkedHashMap<>();
        inputs.forEach((n, meta) -> {
            values.put(n, meta);
            signature.add(new Graph.Input(Graph.InputKind.USER, n, n, false));
            meta.sizes()
                    .forEach(size -> size.forEachSymbol(
                            symbol -> symbols.put(symbol, new Graph.SymbolRange(1, Long.MAX_VALUE, null))));
        });
        Scope scope = new Scope(parts, training);
        Value[] out =
                script.write(scope, inputs.keySet().stream().map(Value::new).toArray(Value[]::new));
        scope.variables().forEach(v -> signature.add(new Graph.Input(Graph.InputKind.USER, v, v, false)));
        values.putAll(scope.metas());
        return new Graph(
                name,
                signature,
                scope.nodes(),
                Arrays.stream(out)
                        .map(v -> new Graph.Output(
                                Graph.OutputKind.USER,
                                v.name(),
                                scope.cached().contains(v.name()) ? Graph.Output.CACHED : v.name()))
                        .toList(),
                values,
                Map.of(),
                symbols,
                parts.state(),
                new ModelState(parts.modules(), parts.held(), List.of()));
    }
}
