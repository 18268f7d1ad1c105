package dev.headroom.model.graph;

import dev.headroom.model.graph.ModelState.HeldTensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each module of a model holds itself, in the model's order, to be asked for many modules. */
public final class ModuleTree {
    private final Map<String, List<String>> children = new HashMap<>();
    private final Map<String, List<Map.Entry<String, HeldTensor>>> tensors = new HashMap<>();

    public ModuleTree(ModelState state) {
        for (String module : state.modules()) {
            if (!module.isEmpty()) {
                children.computeIfAbsent(ModelState.owner(module), m -> new ArrayList<>())
                        .add(module);
            }
        }
        for (Map.Entry<String, HeldTensor> e : state.tensors().entrySet()) {
            tensors.computeIfAbsent(ModelState.owner(e.getKey()), m -> new ArrayList<>())
                    .add(e);
        }
    }

    /** Paths of a module's children. */
    public List<String> children(String module) {
        return children.getOrDefault(module, List.of());
    }

    /** A module's own tensors by qualified name. */
    public List<Map.Entry<String, HeldTensor>> tensors(String module) {
        return tensors.getOrDefault(module, List.of());
    }
}
