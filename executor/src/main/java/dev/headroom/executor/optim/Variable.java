package dev.headroom.executor.optim;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;
import java.util.function.Supplier;

/**
 * A local variable of a Python function that holds tensors. What it held dies only when it is bound anew, after the new
 * value was computed, or with the function; a list dies from its last element to its first (CPython, list_dealloc).
 */
final class Variable implements AutoCloseable {
    private final Eager eager;
    private List<Tensor> value = List.of();

    Variable(Eager eager) {
        this.eager = eager;
    }

    /** The tensors, borrowed. */
    List<Tensor> list() {
        return value;
    }

    /** The only tensor, borrowed. */
    Tensor get() {
        return value.get(0);
    }

    /** Binds it to a list. */
    void bind(List<Tensor> now) {
        now.forEach(eager::hold);
        List<Tensor> before = value;
        value = now;
        for (int i = before.size() - 1; i >= 0; i--) {
            eager.release(before.get(i));
        }
    }

    /** Binds it to one tensor. */
    void bind(Tensor now) {
        bind(List.of(now));
    }

    /** Binds it to what an expression makes; the expression's temporaries die before the old value. */
    void assign(Supplier<List<Tensor>> expression) {
        List<Tensor> made;
        try (Scope s = eager.open()) {
            made = expression.get();
            made.forEach(eager::hold);
        }
        bind(made);
        made.forEach(eager::release);
    }

    /** The same for an expression with one result. */
    void assignOne(Supplier<Tensor> expression) {
        assign(() -> List.of(expression.get()));
    }

    /** {@code del}. */
    @Override
    public void close() {
        bind(List.of());
    }
}
