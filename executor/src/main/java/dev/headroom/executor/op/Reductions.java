package dev.headroom.executor.op;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.graph.DType;

/** Reductions below autograd. */
final class Reductions {
    private Reductions() {}

    /**
     * A sum with the reduced dimensions kept.
     *
     * @param kept the operand's sizes with 1 in the reduced dimensions
     */
    static Tensor sum(Eager e, Tensor t, long[] kept, DType type) {
        return reduce(e, Kind.SUM, t, kept, type);
    }

    /** A reduction with the reduced dimensions kept. */
    static Tensor reduce(Eager e, Kind kind, Tensor t, long[] kept, DType type) {
        Tensor out = e.empty(type, kept);
        e.backend().reductions().reduce(kind, out, t);
        return out;
    }
}
