package dev.headroom.estimator.parallel.tensor;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.List;

/**
 * Qualified names of what a model holds, ties one by one, in the order of {@code Module._apply}: children before
 * their parents.
 */
final class MoveOrder {
    private MoveOrder() {}

    static List<String> of(ModelState state) {
        List<String> out = new ArrayList<>();
        walk(state, "", out);
        return out;
    }

    private static void walk(ModelState state, String module, List<String> out) {
        for (String child : state.modules()) {
            if (!child.isEmpty() && ModelState.owner(child).equals(module)) {
                walk(state, child, out);
            }
        }
        for (Graph.InputKind kind : Graph.InputKind.values()) {
            state.tensors().forEach((name, held) -> {
                if (held.kind() == kind && ModelState.owner(name).equals(module)) {
                    out.add(name);
                }
            });
        }
    }
}
