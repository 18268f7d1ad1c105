package dev.headroom.estimator.optim.state;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/**
 * A local variable of a Python function: a tensor or a list of tensors that lives until the name is bound
 * again, which happens after the new value was computed, or until the function returns.
 */
public final class Variable {
    private final EagerRuntime runtime;
    private List<Tensor> value = List.of();

    public Variable(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** {@code name = tensor}; takes a fresh tensor over from the running frame. */
    public Tensor bind(Tensor tensor) {
        bind(List.of(tensor));
        return tensor;
    }

    /** {@code name = [tensors]}. */
    public void bind(List<Tensor> tensors) {
        for (Tensor t : tensors) {
            runtime.hold(t);
            runtime.free(t);
        }
        List<Tensor> before = value;
        value = tensors;
        // CPython's list_dealloc and tuple_dealloc go from the last element to the first.
        for (int i = before.size() - 1; i >= 0; i--) {
            runtime.release(before.get(i));
        }
    }

    /** {@code del name}. */
    public void delete() {
        bind(List.of());
    }

    /** What the name stands for. */
    public List<Tensor> value() {
        return value;
    }
}
