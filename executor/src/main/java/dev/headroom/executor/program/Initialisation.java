package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** First values of a model, good enough to learn from: archives hold none. */
final class Initialisation {
    private final Eager eager;
    private final Map<String, Long> seeds = new HashMap<>();

    private Initialisation(Eager eager) {
        this.eager = eager;
    }

    /**
     * Small random numbers for matrices and kernels, one for scales and variances, zero for everything else.
     *
     * @param byName tensors by qualified name
     */
    static Initialisation of(Eager eager, Map<String, Tensor> byName) {
        Initialisation values = new Initialisation(eager);
        new TreeMap<>(byName).forEach((name, t) -> {
            if (t.onDevice() && isRandom(t)) {
                values.seeds.put(name, eager.randomness().next());
            }
        });
        return values;
    }

    private static boolean isRandom(Tensor t) {
        return t.dtype().isFloatingPoint() && t.dims() > 1;
    }

    /** Sets a tensor's values. */
    void set(String qualifiedName, Tensor t) {
        if (isRandom(t)) {
            double fanIn = (double) t.elements() / t.size(0);
            double bound = 1 / Math.sqrt(fanIn);
            eager.backend().random().uniform(t, -bound, bound, seeds.get(qualifiedName));
            return;
        }
        String name = qualifiedName.substring(qualifiedName.lastIndexOf('.') + 1);
        double value = name.equals("weight") || name.equals("running_var") ? 1 : 0;
        eager.backend().elementwise().fill(t, value);
    }
}
