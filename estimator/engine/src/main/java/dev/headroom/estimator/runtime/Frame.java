package dev.headroom.estimator.runtime;

import dev.headroom.model.nullness.Contract;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The local variables of a running operator: tensors made inside live until it ends, as C++ locals do, unless the rule
 * frees them earlier or returns them. Operators end in the order in which they began, last first: so a frame serves all
 * operators that run at its depth, one after the other.
 */
public final class Frame implements AutoCloseable {
    private final EagerRuntime runtime;
    private final @Nullable Frame parent;
    private Tensor[] tensors = new Tensor[16];
    private int count;
    private boolean running;
    private @Nullable Frame inner;

    Frame(EagerRuntime runtime, @Nullable Frame parent) {
        this.runtime = runtime;
        this.parent = parent;
    }

    /** The frame of an operator that this one's calls. */
    Frame inner() {
        if (inner == null || inner.running) {
            inner = new Frame(runtime, this);
        }
        return inner.entered();
    }

    /** The same, as an operator begins. */
    Frame entered() {
        running = true;
        return this;
    }

    @Nullable
    Frame parent() {
        return parent;
    }

    void add(Tensor t) {
        if (count == tensors.length) {
            tensors = java.util.Arrays.copyOf(tensors, 2 * count);
        }
        t.frame = this;
        t.frameSlot = count;
        tensors[count++] = t;
    }

    void forget(Tensor t) {
        tensors[t.frameSlot] = null;
        t.frame = null;
        t.frameSlot = -1;
    }

    /** Hands a result to the enclosing frame; {@code null} is let through. */
    @Contract("!null -> !null")
    public @Nullable Tensor keep(@Nullable Tensor t) {
        if (t != null && t.frame == this) {
            forget(t);
            Objects.requireNonNull(parent, "an enclosing frame").add(t);
        }
        return t;
    }

    /** Ends the operator: what it did not keep is released, last made first. */
    @Override
    public void close() {
        for (int i = count - 1; i >= 0; i--) {
            Tensor t = tensors[i];
            if (t != null) {
                tensors[i] = null;
                t.frame = null;
                t.frameSlot = -1;
                runtime.release(t);
            }
        }
        count = 0;
        running = false;
        runtime.leave(this);
    }
}
