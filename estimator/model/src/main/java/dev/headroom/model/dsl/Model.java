package dev.headroom.model.dsl;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.IdentityHashMap;
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
        List<SymExpr> symbolic = new ArrayList<>();
        for (long s : sizes) {
            symbolic.add(s == BATCH ? new SymExpr.Symbol(BATCH_SYMBOL) : SymExpr.of(s));
        }
        long[] strides = Shapes.contiguous(sizes);
        List<SymExpr> steps = new ArrayList<>();
        for (long s : strides) {
            steps.add(SymExpr.of(s));
        }
        inputs.put(inputName, new TensorMeta(type, symbolic, steps, SymExpr.of(0), false));
        return this;
    }

    /** {@code eval()}: dropout does nothing, batch normalisation takes its running statistics. */
    public Model eval() {
        training = false;
        return this;
    }

    /** Writes the graph of one forward pass. */
    public Graph graph() {
        IdentityHashMap<Layer, String> paths = new IdentityHashMap<>();
        List<String> modules = new ArrayList<>();
        Map<String, ModelState.HeldTensor> held = new LinkedHashMap<>();
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        List<Graph.Input> signature = new ArrayList<>();
        register("", root, false, paths, modules, held, values, signature);
        Value[] arguments = inputs.keySet().stream().map(Value::new).toArray(Value[]::new);
        inputs.forEach((n, meta) -> {
            values.put(n, meta);
            signature.add(new Graph.Input(Graph.InputKind.USER, n, n, false));
        });
        Scope scope = new Scope(paths, training);
        Value out = scope.call(root, arguments);
        boolean open = inputs.values().stream()
                .anyMatch(m -> m.sizes().stream().anyMatch(s -> !(s instanceof SymExpr.Constant)));
        return new Graph(
                name,
                signature,
                scope.nodes(),
                List.of(new Graph.Output(Graph.OutputKind.USER, out.name(), out.name())),
                values,
                Map.of(),
                open ? Map.of(BATCH_SYMBOL, new Graph.SymbolRange(1, Long.MAX_VALUE, null)) : Map.of(),
                List.copyOf(held.keySet()),
                new ModelState(modules, held, List.of()));
    }

    private static void register(
            String path,
            Layer module,
            boolean frozenAbove,
            IdentityHashMap<Layer, String> paths,
            List<String> modules,
            Map<String, ModelState.HeldTensor> held,
            Map<String, TensorMeta> values,
            List<Graph.Input> signature) {
        if (paths.putIfAbsent(module, path) != null) {
            return; // shared: it keeps its first name
        }
        modules.add(path);
        boolean frozen = frozenAbove || module.isFrozen();
        for (Map.Entry<String, Layer.Held> e : module.held.entrySet()) {
            Layer.Held h = e.getValue();
            String qualified = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
            String value = Scope.valueName(path, e.getKey());
            boolean trained = h.trainable() && !frozen;
            TensorMeta meta = new TensorMeta(
                    h.type(), constants(h.sizes()), constants(Shapes.contiguous(h.sizes())), SymExpr.of(0), trained);
            Graph.InputKind kind = h.parameter() ? Graph.InputKind.PARAMETER : Graph.InputKind.BUFFER;
            values.put(value, meta);
            signature.add(new Graph.Input(kind, value, qualified, true));
            held.put(qualified, new ModelState.HeldTensor(kind, meta, true, value, qualified));
        }
        module.children.forEach((n, child) ->
                register(path.isEmpty() ? n : path + "." + n, child, frozen, paths, modules, held, values, signature));
    }

    private static List<SymExpr> constants(long[] values) {
        List<SymExpr> out = new ArrayList<>();
        for (long v : values) {
            out.add(SymExpr.of(v));
        }
        return out;
    }
}
