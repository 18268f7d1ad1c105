package dev.headroom.estimator.parallel.unit;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides a model into units (torch/distributed/fsdp/_fully_shard/_fsdp_init.py, _get_managed_modules and
 * _get_managed_states).
 */
public final class Units {
    private final ModuleTree tree;
    private final Map<String, Integer> places = new HashMap<>();
    private final Set<String> wrapped;

    private Units(ModelState state, Set<String> wrapped) {
        this.tree = new ModuleTree(state);
        state.modules().forEach(module -> places.putIfAbsent(module, places.size()));
        this.wrapped = wrapped;
    }

    /**
     * The units of a model, in the order in which their modules are wrapped, the model itself last.
     *
     * @param inner paths of the wrapped modules below the model, inner ones before those around them
     */
    public static List<Unit> of(ModelState state, List<String> inner) {
        return ofGroups(state, inner.stream().map(List::of).toList());
    }

    /** The same of modules some of which are wrapped together ({@code fully_shard([a, b])}). */
    public static List<Unit> ofGroups(ModelState state, List<List<String>> inner) {
        Set<String> wrapped = new HashSet<>();
        inner.forEach(wrapped::addAll);
        Units units = new Units(state, wrapped);
        List<Unit> out = new ArrayList<>();
        inner.forEach(paths -> out.add(units.unit(paths)));
        out.add(units.unit(List.of("")));
        return List.copyOf(out);
    }

    private Unit unit(List<String> paths) {
        List<String> left = new ArrayList<>();
        paths.forEach(path -> walk(path, left));
        List<String> parameters = storages(left, Graph.InputKind.PARAMETER);
        List<String> inOrder = left.stream()
                .filter(places::containsKey)
                .sorted(Comparator.comparing(places::get))
                .toList();
        return new Unit(
                paths,
                parameters,
                storages(inOrder, Graph.InputKind.PARAMETER),
                storages(left, Graph.InputKind.BUFFER));
    }

    private void walk(String module, List<String> left) {
        for (String child : tree.children(module)) {
            if (!wrapped.contains(child)) {
                walk(child, left);
            }
        }
        left.add(module);
    }

    private List<String> storages(List<String> modules, Graph.InputKind kind) {
        Set<String> seen = new HashSet<>();
        List<String> out = new ArrayList<>();
        for (String module : modules) {
            for (Map.Entry<String, ModelState.HeldTensor> e : tree.tensors(module)) {
                ModelState.HeldTensor held = e.getValue();
                if (held.kind() == kind && seen.add(held.storage())) {
                    out.add(held.storage());
                }
            }
        }
        return out;
    }
}
