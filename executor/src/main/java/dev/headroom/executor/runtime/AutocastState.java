package dev.headroom.executor.runtime;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.autocast} for CUDA as it stands: what it lowers to, and the lowered weights that it keeps until the
 * outermost region ends (aten/src/ATen/autocast_mode.cpp, cached_casts; torch/amp/autocast_mode.py).
 */
public final class AutocastState {
    private final Eager eager;
    private final List<DType> outer = new ArrayList<>();
    private final Map<Tensor, Tensor> casts = new LinkedHashMap<>();
    private @Nullable DType type;

    AutocastState(Eager eager) {
        this.eager = eager;
    }

    /** The type that it lowers to, or {@code null} while it is off. */
    public @Nullable DType type() {
        return type;
    }

    /**
     * Begins a region.
     *
     * @param lower what it lowers to; {@code null}: it switches autocast off
     */
    public void enter(@Nullable DType lower) {
        outer.add(type);
        type = lower;
    }

    /** Ends the innermost region; with the last one the kept weights go, in an order that PyTorch leaves to chance. */
    public void exit() {
        type = outer.remove(outer.size() - 1);
        if (outer.isEmpty()) {
            casts.values().forEach(eager::release);
            casts.clear();
        }
    }

    /** The kept cast of a weight, borrowed, or {@code null}. */
    public @Nullable Tensor kept(Tensor weight) {
        return casts.get(weight);
    }

    /** Keeps a cast. */
    public void keep(Tensor weight, Tensor cast) {
        casts.put(weight, eager.hold(cast));
    }
}
