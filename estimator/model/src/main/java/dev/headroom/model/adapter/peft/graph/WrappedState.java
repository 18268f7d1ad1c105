package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a model holds once layers were wrapped around some of its modules. */
public final class WrappedState {
    private final ModelState before;
    private final Map<String, Wrapping> wrappings;
    private final Map<String, HeldTensor> added;
    private final Map<String, String> names = new HashMap<>();
    private final List<String> modules = new ArrayList<>();

    private WrappedState(ModelState before, Map<String, Wrapping> wrappings, Map<String, HeldTensor> added) {
        this.before = before;
        this.wrappings = wrappings;
        this.added = added;
    }

    /**
     * A graph with such a state.
     *
     * @param wrappings by path
     * @param added the layers' tensors by qualified name
     * @param additions how they are made
     * @param notes what the user is told
     */
    public static Graph of(
            Graph graph,
            Map<String, Wrapping> wrappings,
            Map<String, HeldTensor> added,
            List<Addition> additions,
            List<String> notes) {
        WrappedState state = new WrappedState(graph.held(), wrappings, added);
        state.rename();
        return state.graph(graph, additions, notes);
    }

    private void rename() {
        List<Wrapping> open = new ArrayList<>();
        for (String module : before.modules()) {
            while (!open.isEmpty() && !within(module, open.get(open.size() - 1).path())) {
                close(open.remove(open.size() - 1));
            }
            Wrapping wrapping = wrappings.get(module);
            if (wrapping != null) {
                modules.add(module);
                open.add(wrapping);
                String inner = wrapping.inner();
                for (int dot = inner.indexOf('.'); dot >= 0; dot = inner.indexOf('.', dot + 1)) {
                    modules.add(module + "." + inner.substring(0, dot));
                }
            }
            modules.add(renamed(module, open));
            names.put(module, renamed(module, open));
        }
        for (int i = open.size() - 1; i >= 0; i--) {
            close(open.get(i));
        }
    }

    private static boolean within(String module, String path) {
        return module.equals(path) || module.startsWith(path + ".");
    }

    private void close(Wrapping wrapping) {
        wrapping.modules().forEach(m -> modules.add(wrapping.path() + "." + m));
    }

    /** Wrapped modules do not lie in each other. */
    private static String renamed(String module, List<Wrapping> open) {
        if (open.isEmpty()) {
            return module;
        }
        Wrapping w = open.get(open.size() - 1);
        return w.path() + "." + w.inner() + module.substring(w.path().length());
    }

    /** The module that a tensor belongs to; what belongs to a quantised weight is named after that. */
    private String module(String tensor) {
        String owner = ModelState.owner(tensor);
        while (!names.containsKey(owner)) {
            owner = ModelState.owner(owner);
        }
        return owner;
    }

    private String holder(String tensor) {
        return names.getOrDefault(module(tensor), "");
    }

    private String renamed(String tensor) {
        String owner = module(tensor);
        String holder = holder(tensor);
        return holder.isEmpty() ? tensor : holder + tensor.substring(owner.length());
    }

    private Graph graph(Graph graph, List<Addition> additions, List<String> notes) {
        List<String> told = new ArrayList<>(before.notes());
        told.addAll(notes);
        Map<String, List<Map.Entry<String, HeldTensor>>> own = new HashMap<>();
        before.tensors().forEach((name, held) -> own.computeIfAbsent(holder(name), k -> new ArrayList<>())
                .add(Map.entry(renamed(name), held.as(held.value(), renamed(held.storage())))));
        added.forEach((name, held) -> own.computeIfAbsent(ModelState.owner(name), k -> new ArrayList<>())
                .add(Map.entry(name, held)));
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        modules.forEach(m -> own.getOrDefault(m, List.of()).forEach(e -> tensors.put(e.getKey(), e.getValue())));
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        List<Graph.Input> inputs = new ArrayList<>();
        added.forEach((name, held) -> {
            if (held.value() != null) {
                values.put(held.value(), held.meta());
                inputs.add(new Graph.Input(held.kind(), held.value(), name, true));
            }
        });
        for (Graph.Input in : graph.inputs()) {
            boolean user = in.kind() == Graph.InputKind.USER;
            inputs.add(
                    user ? in : new Graph.Input(in.kind(), in.value(), renamed(in.qualifiedName()), in.persistent()));
        }
        List<String> state = new ArrayList<>();
        tensors.forEach((name, held) -> {
            if (held.persistent() && held.kind() != Graph.InputKind.CONSTANT) {
                state.add(name);
            }
        });
        return new Graph(
                graph.name(),
                inputs,
                graph.nodes(),
                graph.outputs(),
                values,
                graph.ints(),
                graph.symbols(),
                state,
                new ModelState(modules, tensors, told, before.loaded(), additions));
    }

    /** Sizes, strides and the type of a contiguous tensor. */
    public static TensorMeta meta(List<Long> sizes, dev.headroom.model.graph.DType type, boolean trained) {
        long[] plain = sizes.stream().mapToLong(Long::longValue).toArray();
        long[] strides = dev.headroom.model.graph.Shapes.contiguous(plain);
        return new TensorMeta(type, constants(plain), constants(strides), SymExpr.of(0), trained);
    }

    private static List<SymExpr> constants(long[] values) {
        List<SymExpr> out = new ArrayList<>();
        for (long v : values) {
            out.add(SymExpr.of(v));
        }
        return out;
    }
}
