package dev.headroom.estimator.runtime;

import dev.headroom.estimator.repeat.Beginning;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that a node keeps for its backward pass: PyTorch's SavedVariable (torch/csrc/autograd/saved_variable.cpp).
 */
public final class Saved {
    /** Stands for what is not kept. */
    static final Saved NOTHING = new Saved((Tensor) null);

    private @Nullable Tensor tensor;
    private @Nullable Tensor variable;

    /** Which result of its node it is, of those that gradients flow through; negative for none. */
    int result = -1;

    private SavedTensorHooks.@Nullable Packed packed;

    private final boolean ofResult;

    Saved(@Nullable Tensor tensor) {
        this(tensor, false);
    }

    Saved(@Nullable Tensor tensor, boolean ofResult) {
        this.tensor = tensor;
        this.ofResult = ofResult;
    }

    Saved(SavedTensorHooks.Packed packed) {
        this.ofResult = false;
        this.packed = packed;
    }

    /** The tensor, valid until the node has run. */
    public Tensor get() {
        Tensor kept = getOrNull();
        if (kept == null) {
            throw new IllegalStateException("a tensor is used that was not saved");
        }
        return kept;
    }

    /** The tensor, valid until the node has run, or {@code other} where none was kept. */
    public Tensor getOr(Tensor other) {
        Tensor kept = getOrNull();
        return kept == null ? other : kept;
    }

    /** The tensor, valid until the node has run; {@code null} when none was kept. */
    public @Nullable Tensor getOrNull() {
        if (tensor == null && this != NOTHING) {
            throw new IllegalStateException("saved tensor used after its node released it");
        }
        return variable == null ? tensor : variable;
    }

    /** What it is while its node runs under {@code create_graph=True}: with the history of the node's result. */
    void become(@Nullable Tensor result) {
        variable = result;
    }

    /** The result that the node keeps; {@code null} where it keeps an input. */
    @Nullable
    Tensor keptResult() {
        return ofResult ? tensor : null;
    }

    void describe(Beginning to) {
        to.part(tensor);
        to.number(result);
        to.flag(ofResult);
        to.unknownIf(packed != null || variable != null);
    }

    @Nullable
    Tensor take() {
        Tensor t = tensor;
        tensor = null;
        return t;
    }

    /** What hooks made of it, or {@code null} where the tensor itself is kept. */
    SavedTensorHooks.@Nullable Packed packed() {
        return packed;
    }

    void unpack() {
        tensor = Objects.requireNonNull(packed, "hooks of saved tensors").unpack();
    }

    /**
     * Hands the tensor to the running frame, from which it may be freed before the node has run
     * ({@code ctx.maybe_clear_saved_tensors}). It counts as saved until then.
     */
    public @Nullable Tensor handedTo(EagerRuntime runtime) {
        Tensor t = take();
        runtime.adopt(t);
        return t;
    }
}
