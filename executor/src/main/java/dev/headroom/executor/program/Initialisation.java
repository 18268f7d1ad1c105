package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.ModelState.HeldTensor;
import java.util.Comparator;
import java.util.Map;

/** First values of a model, good enough to learn from: archives hold none. */
public final class Initialisation {
    /** What an adapter ends with: the adapted model begins as the model. */
    private static final String SECOND = ".lora_B.";

    private Initialisation() {}

    /**
     * Sets matrices and kernels to small random numbers, scales and variances to one, everything else to zero. What has
     * a type of its own got its values where it was loaded.
     */
    public static void apply(Eager eager, ModelMemory model) {
        model.all().entrySet().stream()
                .sorted(Comparator.comparing(Map.Entry<String, Tensor>::getKey))
                .filter(e -> !isLoaded(model.state().tensors().get(e.getKey())))
                .forEach(e -> set(eager, e.getKey(), e.getValue()));
    }

    private static boolean isLoaded(HeldTensor held) {
        return held != null && held.ownType() != null && held.loadType() == null && !held.added();
    }

    private static void set(Eager eager, String key, Tensor t) {
        if (!t.onDevice()) {
            return;
        }
        String name = key.substring(key.lastIndexOf('.') + 1);
        if (t.dtype().isFloatingPoint() && t.dims() > 1 && !key.contains(SECOND)) {
            double fanIn = (double) t.elements() / t.size(0);
            double bound = 1 / Math.sqrt(fanIn);
            eager.backend()
                    .random()
                    .uniform(t, -bound, bound, eager.randomness().next());
        } else {
            boolean one = (name.equals("weight") || name.equals("running_var")) && !key.contains(SECOND);
            eager.backend().elementwise().fill(t, one ? 1 : 0);
        }
    }
}
