package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.ReducedDimensions;
import dev.headroom.executor.op.basic.Reductions;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * {@code bincount} (aten/src/ATen/native/cuda/SummaryOps.cu): as many counts as {@code minlength} says; what is greater
 * is not counted.
 */
final class Bincounts {
    private Bincounts() {}

    static void register(Operators o) {
        o.add1("aten.bincount", Bincounts::counted);
    }

    private static Tensor counted(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        long bins = a.integer("minlength", 0);
        if (bins == 0) {
            throw new UserInputException(
                    "bincount without minlength has as many counts as the largest value says, which"
                            + " the executor does not support; give minlength");
        }
        Tensor weights = a.optional("weights");
        if (t.elements() == 0) {
            Tensor none = e.empty(DType.INT64, bins);
            Elementwise.fill(e, none, 0);
            return none;
        }
        return e.call(() -> {
            Tensor wide = weights == null || weights.dtype() == DType.FLOAT32
                    ? weights
                    : Copies.to(e, weights, DType.FLOAT64);
            long[] kept = ReducedDimensions.kept(t.sizes(), new long[0]);
            Tensor[] ends = Reductions.ends(e, t, kept);
            Tensor out = e.empty(wide == null ? DType.INT64 : wide.dtype(), bins);
            count(e, out, t, wide);
            e.free(ends[0]); // results of one function go in their order
            e.free(ends[1]);
            return out;
        });
    }

    private static void count(Eager e, Tensor out, Tensor t, @Nullable Tensor weights) {
        Elementwise.fill(e, out, 0);
        if (weights == null) {
            e.backend().reductions().histogram(out, t, null, 0, (double) out.elements());
        } else if (t.dtype() == DType.INT64) {
            e.backend().indexing().scatterAdd(out, 0, t, weights);
        } else {
            throw new UserInputException(
                    "bincount with weights of values that are no 64-bit integers is not supported by"
                            + " the executor");
        }
    }
}
