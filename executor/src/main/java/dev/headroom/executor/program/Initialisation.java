package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.Map;

/** First values of a model, good enough to learn from: archives hold none. */
public final class Initialisation {
    private Initialisation() {}

    /**
     * Sets matrices and kernels to small random numbers, scales and variances to one, everything else to zero.
     *
     * @param byName tensors by qualified name
     */
    public static void apply(Eager eager, Map<String, Tensor> byName) {
        byName.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(e -> {
            Tensor t = e.getValue();
            if (!t.onDevice()) {
                return;
            }
            String name = e.getKey().substring(e.getKey().lastIndexOf('.') + 1);
            if (t.dtype().isFloatingPoint() && t.dims() > 1) {
                double fanIn = (double) t.elements() / t.size(0);
                double bound = 1 / Math.sqrt(fanIn);
                eager.backend()
                        .random()
                        .uniform(t, -bound, bound, eager.randomness().next());
            } else {
                double value = name.equals("weight") || name.equals("running_var") ? 1 : 0;
                eager.backend().elementwise().fill(t, value);
            }
        });
    }
}
