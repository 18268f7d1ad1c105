package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;

/** {@code as_strided_scatter}: a copy with values written to a view (ATen/native/TensorShape.cpp). */
final class StridedScatter {
    private StridedScatter() {}

    /** FunctionsManual.cpp, as_strided_scatter_backward: a copy of the gradient with zeros in the view. */
    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long[] sizes = c.integers("size");
        long[] strides = c.integers("stride");
        long offset = c.integer("storage_offset", t.offset());
        Recorder r = rt.record("AsStridedScatterBackward0", t, c.tensor("src"));
        Tensor out = rt.emptyStrided(t.dtype(), t.sizes(), t.strides());
        long[] whole = t.sizes();
        return r.gradient(0, g -> Creation.zeros(rt, g.dtype(), whole))
                .gradient(1, g -> {
                    Tensor dense = Copies.contiguous(rt, g);
                    Tensor part = Views.asStrided(rt, dense, sizes, strides, offset);
                    rt.freeUnless(dense, g);
                    return part;
                })
                .output(out);
    }
}
