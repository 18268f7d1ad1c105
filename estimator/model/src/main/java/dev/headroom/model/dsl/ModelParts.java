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
import java.util.Objects;

/** The modules of a model by their paths, and the tensors that they hold. */
final class ModelParts {
    private final DType type;
    private final IdentityHashMap<Layer, String> paths = new IdentityHashMap<>();
    private final List<String> modules = new ArrayList<>();
    private final Map<String, ModelState.HeldTensor> held = new LinkedHashMap<>();
    private final Map<String, TensorMeta> values = new LinkedHashMap<>();
    private final List<Graph.Input> signature = new ArrayList<>();

    private ModelParts(DType type) {
        this.type = type;
    }

    static ModelParts of(Layer root, DType type) {
        ModelParts parts = new ModelParts(type);
        parts.register("", root, false);
        return parts;
    }

    private void register(String path, Layer module, boolean frozenAbove) {
        if (paths.putIfAbsent(module, path) != null) {
            return; // shared: it keeps its first name
        }
        modules.add(path);
        boolean frozen = frozenAbove || module.isFrozen();
        module.held.forEach((name, tensor) -> {
            Layer.Tie tie = module.ties.get(name);
            if (tie == null) {
                add(path, name, tensor, frozen);
            } else {
                String owner = qualified(path(tie.owner()), tie.name());
                TensorMeta meta = Objects.requireNonNull(held.get(owner), owner).meta();
                String alias = qualified(path, name);
                held.put(alias, new ModelState.HeldTensor(Graph.InputKind.PARAMETER, meta, true, null, owner));
            }
        });
        module.children.forEach((n, child) -> register(qualified(path, n), child, frozen));
    }

    private void add(String path, String name, Layer.Held h, boolean frozen) {
        String qualified = qualified(path, name);
        String value = valueName(path, name);
        TensorMeta meta = new TensorMeta(
                h.parameter() ? type : h.type(),
                constants(h.sizes()),
                constants(Shapes.contiguous(h.sizes())),
                SymExpr.of(0),
                h.parameter() && !frozen);
        Graph.InputKind kind = h.parameter() ? Graph.InputKind.PARAMETER : Graph.InputKind.BUFFER;
        values.put(value, meta);
        signature.add(new Graph.Input(kind, value, qualified, h.persistent()));
        held.put(qualified, new ModelState.HeldTensor(kind, meta, h.persistent(), value, qualified));
    }

    private static List<SymExpr> constants(long[] values) {
        List<SymExpr> out = new ArrayList<>();
        for (long v : values) {
            out.add(SymExpr.of(v));
        }
        return out;
    }

    private static String qualified(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    private static String valueName(String path, String name) {
        return "p_" + qualified(path, name).replace('.', '_');
    }

    /** The path of a module. */
    String path(Layer module) {
        String path = paths.get(module);
        if (path == null) {
            throw new IllegalArgumentException(
                    "module " + module.type() + " runs but is nobody's child; declare it with child(...)");
        }
        return path;
    }

    /** The graph's value for a module's tensor, which may be another module's. */
    Value value(Layer module, String name) {
        if (!module.held.containsKey(name)) {
            throw new IllegalArgumentException(module.type() + " declares no tensor '" + name + "'");
        }
        Layer.Tie tie = module.ties.get(name);
        return tie == null ? new Value(valueName(path(module), name)) : value(tie.owner(), tie.name());
    }

    List<String> modules() {
        return modules;
    }

    Map<String, ModelState.HeldTensor> held() {
        return held;
    }

    Map<String, TensorMeta> values() {
        return values;
    }

    List<Graph.Input> signature() {
        return signature;
    }

    /** Names in {@code state_dict}. */
    List<String> state() {
        return held.entrySet().stream()
                .filter(e -> e.getValue().persistent())
                .map(Map.Entry::getKey)
                .toList();
    }
}
