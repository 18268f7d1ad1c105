package dev.headroom.executor.tensor;

import dev.headroom.model.nullness.Contract;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Local variables of an operator: tensors made while it is the innermost scope die when it closes, the last made first,
 * as C++ destroys locals.
 */
public final class Scope implements AutoCloseable {
    private final TensorMemory memory;
    private final @Nullable Scope outer;
    private final List<Tensor> locals = new ArrayList<>();
    private final int unfinished;

    Scope(TensorMemory memory, @Nullable Scope outer) {
        this.memory = memory;
        this.outer = outer;
        this.unfinished = memory.history().unfinished();
    }

    @Nullable
    Scope outer() {
        return outer;
    }

    void add(Tensor t) {
        t.scope = this;
        locals.add(t);
    }

    void forget(Tensor t) {
        t.scope = null;
        locals.remove(locals.lastIndexOf(t));
    }

    /** Hands a local to the scope around, as a function returns it; other tensors are left alone. */
    @Contract("!null -> !null")
    public @Nullable Tensor pass(@Nullable Tensor t) {
        if (t != null && t.scope == this) {
            forget(t);
            Objects.requireNonNull(outer, "a scope around").add(t);
        }
        return t;
    }

    @Override
    public void close() {
        memory.leave(this);
        memory.history().abandon(unfinished);
        for (int i = locals.size() - 1; i >= 0; i--) {
            Tensor t = locals.get(i);
            t.scope = null;
            memory.release(t);
        }
        locals.clear();
    }
}
