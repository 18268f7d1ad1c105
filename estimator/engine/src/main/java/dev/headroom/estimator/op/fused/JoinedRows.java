package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;

/** {@code torch.cat(list(t), dim=0)}: taken apart and joined, forward by cat, backward by UnbindBackward0's stack. */
final class JoinedRows {
    private JoinedRows() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long[] sizes = t.sizes();
        long[] joined = new long[sizes.length - 1];
        System.arraycopy(sizes, 1, joined, 0, joined.length);
        joined[0] *= sizes[0];
        Recorder r = rt.record("UnbindBackward0", t);
        Tensor out = rt.empty(t.dtype(), joined);
        return r.gradient(0, g -> rt.empty(g.dtype(), sizes)).output(out);
    }
}
