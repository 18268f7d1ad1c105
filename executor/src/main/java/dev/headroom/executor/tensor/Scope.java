package dev.headroom.executor.tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * Local variables of an operator: tensors made while it is the innermost scope die when it closes, the last made first,
 * as C++ destroys locals.
 */
public final class Scope implements AutoCloseable {
    private final TensorMemory memory;
    private final Scope outer;
    private final List<Tensor> locals = new ArrayList<>();
    private final int unfinished;

    Scope(TensorMemory memory, Scope outer) {
        this.memory = memory;
        this.outer = outer;
        this.unfinished = memory.history().unfinished();
    }

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
    public Tensor pass(Tensor t) {
        if (t != null && t.scope == this) {
            forget(t);
            outer.add(t);
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
