package dev.headroom.estimator.parallel.unit;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import java.util.ArrayList;
import java.util.List;

/**
 * Qualified names of what a model holds, ties one by one, in the order of {@code Module._apply}: children before
 * their parents.
 */
public final class MoveOrder {
    private MoveOrder() {}

    /** Of all that a model holds. */
    public static List<String> of(ModelState state) {
        List<String> out = new ArrayList<>();
        walk(new ModuleTree(state), "", out);
        return out;
    }

    private static void walk(ModuleTree modules, String module, List<String> out) {
        modules.children(module).forEach(child -> walk(modules, child, out));
        for (Graph.InputKind kind : Graph.InputKind.values()) {
            modules.tensors(module).stream()
                    .filter(e -> e.getValue().kind() == kind)
                    .forEach(e -> out.add(e.getKey()));
        }
    }
}
