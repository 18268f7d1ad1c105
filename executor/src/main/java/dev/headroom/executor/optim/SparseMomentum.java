package dev.headroom.executor.optim;

import dev.headroom.executor.op.basic.SparseRows;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/**
 * Momentum of sparse gradients in {@code torch.optim.SGD}: the buffer is sparse and gets the rows of every step's
 * gradient behind those that it has, so it grows with each step.
 */
final class SparseMomentum {
    private final Eager eager;
    private final IdentityHashMap<Tensor, Tensor> buffers = new IdentityHashMap<>();

    SparseMomentum(Eager eager) {
        this.eager = eager;
    }

    /** The buffer of a parameter. */
    Tensor of(Tensor p) {
        return Objects.requireNonNull(buffers.get(p), "a buffer");
    }

    /** Scales a buffer; {@code false} where there is none yet. */
    boolean scale(Tensor p, double momentum) {
        Tensor before = buffers.get(p);
        if (before == null) {
            return false;
        }
        try (Scope s = eager.open()) {
            replace(p, SparseRows.times(eager, before, momentum));
        }
        return true;
    }

    /** Adds a gradient to a buffer, or begins it as a copy. */
    void add(Tensor p, Tensor gradient) {
        Tensor before = buffers.get(p);
        try (Scope s = eager.open()) {
            replace(
                    p,
                    before == null ? SparseRows.copy(eager, gradient) : SparseRows.joined(eager, before, gradient, 1));
        }
    }

    private void replace(Tensor p, Tensor now) {
        eager.release(buffers.put(p, eager.hold(now)));
    }

    void close() {
        List<Tensor> all = new ArrayList<>(buffers.values());
        buffers.clear();
        all.forEach(eager::release);
    }
}
