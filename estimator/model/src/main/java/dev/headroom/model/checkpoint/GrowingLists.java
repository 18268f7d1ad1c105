package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.List;

/**
 * Modules that hand their children a list to which they add what each returns, as DenseNet's blocks do
 * (torchvision/models/densenet.py, _DenseBlock). A checkpoint around such a child keeps the list, not what was in it:
 * when the child is recomputed, the list has everything that came later, and the recomputation goes wrong.
 */
public final class GrowingLists {
    /** Children from which on one more input each is no accident. */
    private static final int FEWEST = 3;

    private GrowingLists() {}

    /** Whether a call's children, all of one class, read one value more each than the one before. */
    public static boolean isGivenTo(Graph graph, ModuleCalls.Call parent) {
        List<ModuleCalls.Call> children = parent.children();
        if (children.size() < FEWEST
                || children.stream().map(ModuleCalls.Call::type).distinct().count() > 1) {
            return false;
        }
        List<Integer> inputs = new ArrayList<>();
        children.forEach(
                c -> inputs.add(Region.of(graph, c.from(), c.to()).inputs().size()));
        for (int i = 1; i < inputs.size(); i++) {
            if (inputs.get(i) != inputs.get(i - 1) + 1) {
                return false;
            }
        }
        return true;
    }
}
