package dev.headroom.executor.op.library;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** {@code torch.cat(list(t), dim=0)}: entries joined; back, UnbindBackward0 stacks what CatBackward0 parted. */
final class JoinedRows {
    private JoinedRows() {}

    static Tensor apply(Eager e, Tensor t) {
        long[] before = t.sizes();
        long[] joined = Arrays.copyOfRange(before, 1, before.length);
        joined[0] *= before[0];
        return e.record("UnbindBackward0", t)
                .backward(g -> new Tensor[] {copied(e, g[0], before)})
                .output(copied(e, t, joined));
    }

    /** A row-major copy of other sizes. */
    private static Tensor copied(Eager e, Tensor t, long... sizes) {
        Tensor out = e.empty(t.dtype(), sizes);
        try (Scope s = e.open()) {
            Copies.fill(e, e.alias(out, t.sizes(), Layout.contiguous(t.sizes()), 0), t);
        }
        return out;
    }
}
