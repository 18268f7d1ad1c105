package dev.headroom.advisor.checkpoints;

import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Memory that a forward pass makes, by number of the storage: the stages in which its life takes a turn. */
final class StorageLifetimes {
    static final int NEVER = Integer.MAX_VALUE;

    /** The stage that makes it; -1: not made in the pass. */
    final int[] born;

    /** The last stage that reads it as a value; for results of the model one more than the last; -1: no value. */
    final int[] used;

    /** The stage in the forward pass that ends it, or {@link #NEVER}. */
    final int[] freed;

    /** The stage in the backward pass that ends it, or -1. */
    final int[] released;

    StorageLifetimes(int storages) {
        born = filled(storages, -1);
        used = filled(storages, -1);
        freed = filled(storages, NEVER);
        released = filled(storages, -1);
    }

    private static int[] filled(int n, int value) {
        int[] out = new int[n];
        Arrays.fill(out, value);
        return out;
    }

    /** Finds out from the graph which stages use which storage. */
    void readUses(Simulation run, Stages stages) {
        Graph graph = run.prepared().plan().graph();
        Map<String, Integer> storageOf = new HashMap<>();
        for (int s = 0; s < stages.size(); s++) {
            for (int i = stages.all().get(s).from(); i < stages.all().get(s).to(); i++) {
                Node node = graph.nodes().get(i);
                for (String read : node.reads()) {
                    use(storageOf.get(read), s);
                }
                List<String> names = node.outputs();
                int[] made = run.nodes().storages(i);
                for (int k = 0; k < Math.min(made.length, names.size()); k++) {
                    if (names.get(k) != null && made[k] >= 0) {
                        storageOf.put(names.get(k), made[k]);
                        use(made[k], s);
                    }
                }
            }
        }
        graph.outputs().forEach(o -> use(storageOf.get(o.value()), stages.size()));
    }

    private void use(@Nullable Integer storage, int stage) {
        if (storage != null) {
            used[storage] = Math.max(used[storage], stage);
        }
    }
}
