package dev.headroom.executor.op.shape;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** {@code as_strided_scatter}: a copy with values where a view lies (aten/src/ATen/native/TensorShape.cpp). */
public final class StridedScatter {
    private StridedScatter() {}

    public static void register(Operators o) {
        o.add1("aten.as_strided_scatter", StridedScatter::run);
    }

    private static Tensor run(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor values = a.tensor("src");
        long[] sizes = a.integers("size");
        long[] strides = a.integers("stride");
        long offset = a.integer("storage_offset", x.offset());
        Recorder r = e.record("AsStridedScatterBackward0", x, values);
        Tensor out = e.emptyStrided(x.dtype(), x.sizes(), x.strides());
        Copies.fill(e, out, x);
        try (var s = e.open()) {
            Copies.fill(e, e.alias(out, sizes, strides, offset), values);
        }
        return r.backward(g -> {
                    Tensor ofX = r.needs(0) ? e.empty(g[0].dtype(), x.sizes()) : null;
                    if (ofX != null) {
                        Copies.fill(e, ofX, g[0]);
                        Tensor part = e.alias(ofX, sizes, strides, offset);
                        Elementwise.fill(e, part, 0);
                        e.free(part);
                    }
                    return new Tensor[] {ofX, r.needs(1) ? seen(e, g[0], sizes, strides, offset) : null};
                })
                .output(out);
    }

    private static Tensor seen(Eager e, Tensor g, long[] sizes, long[] strides, long offset) {
        Tensor dense = Copies.packed(e, g);
        Tensor part = e.view(dense, sizes, strides, offset);
        e.freeUnless(dense, g);
        return part;
    }
}
