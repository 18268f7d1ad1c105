package dev.headroom.executor.tensor;

import dev.headroom.graph.DType;

/** {@code torch.autocast} for CUDA as it stands: whether it is on, and what it lowers to. */
public final class AutocastState {
    private DType type;

    /** The type that it lowers to, or {@code null} while it is off. */
    public DType type() {
        return type;
    }

    /** Switches it on, or with {@code null} off. */
    public void set(DType now) {
        type = now;
    }
}
