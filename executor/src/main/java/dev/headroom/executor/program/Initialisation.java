package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * First values of a model, good enough to learn from: archives hold none. Parts of a model get the same values as the
 * whole.
 */
public final class Initialisation {
    /** What an adapter ends with: the adapted model begins as the model. */
    private static final String SECOND = ".lora_B.";

    private final Eager eager;
    private final Map<String, Long> seeds = new HashMap<>();

    /** What has values already: those of a quantised weight. */
    private final Set<String> loaded = new HashSet<>();

    private Initialisation(Eager eager) {
        this.eager = eager;
    }

    /** Small random numbers for matrices and kernels, one for scales and variances, zero for everything else. */
    public static Initialisation of(Eager eager, ModelState whole) {
        Initialisation values = new Initialisation(eager);
        new TreeMap<>(whole.tensors()).forEach((name, held) -> {
            if (held.storage().equals(name) && isRandom(held) && !name.contains(SECOND)) {
                values.seeds.put(name, eager.randomness().next());
            }
        });
        whole.tensors().forEach((name, held) -> {
            if (held.ownType() != null && held.loadType() == null && !held.added()) {
                values.loaded.add(name);
            }
            if (values.seeds.containsKey(held.storage())) {
                values.seeds.put(name, values.seeds.get(held.storage()));
            }
        });
        return values;
    }

    private static boolean isRandom(HeldTensor held) {
        return held.kind() != Graph.InputKind.CONSTANT
                && held.meta().dtype().isFloatingPoint()
                && held.meta().sizes().size() > 1;
    }

    /** Sets a tensor's values. */
    void set(String qualifiedName, Tensor t) {
        if (loaded.contains(qualifiedName)) {
            return;
        }
        Long seed = seeds.get(qualifiedName);
        if (seed != null) {
            if (t.elements() > 0) {
                double fanIn = (double) t.elements() / t.size(0);
                double bound = 1 / Math.sqrt(fanIn);
                eager.backend().random().uniform(t, -bound, bound, seed);
            }
            return;
        }
        String name = qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1);
        boolean one = (name.equals("weight") || name.equals("running_var")) && !qualifiedName.contains(SECOND);
        double value = one ? 1 : 0;
        eager.backend().elementwise().fill(t, value);
    }
}
