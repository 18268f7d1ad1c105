package dev.headroom.estimator.op.linalg;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import java.util.Arrays;

/**
 * A call over a batch of matrices, and tensors that its results are made as.
 *
 * @param all (batch, rows, columns)
 */
record Matrices(Call call, Tensor all, long[] batch, long rows, long columns) {
    /** What a function makes of matrices. */
    interface Results {
        Tensor[] of(Matrices m);
    }

    /** @throws NoRule where the arguments hold no matrix */
    static Matrices of(Call c) {
        Tensor a = argument(c);
        if (a.dim() < 2) {
            throw new NoRule("no matrix");
        }
        return new Matrices(c, a, Arrays.copyOf(a.sizes(), a.dim() - 2), a.size(-2), a.size(-1));
    }

    private static Tensor argument(Call c) {
        for (String name : new String[] {"A", "self", "input", "LU"}) {
            if (c.has(name)) {
                return c.tensor(name);
            }
        }
        throw new NoRule("no matrix among the arguments");
    }

    long least() {
        return Math.min(rows, columns);
    }

    /** As the matrices are. */
    Tensor like() {
        return call.runtime().empty(all.dtype(), all.sizes());
    }

    /** As another tensor is. */
    Tensor like(Tensor other) {
        return call.runtime().empty(other.dtype(), other.sizes());
    }

    /** For each matrix something of the sizes. */
    Tensor each(long... sizes) {
        return call.runtime().empty(all.dtype(), joined(sizes));
    }

    /** For each matrix numbers of 32 bits. */
    Tensor integers(long... sizes) {
        return call.runtime().empty(DType.INT32, joined(sizes));
    }

    private long[] joined(long... more) {
        return Dimensions.append(batch, more);
    }

    static Tensor[] tensors(Tensor... list) {
        return list;
    }
}
