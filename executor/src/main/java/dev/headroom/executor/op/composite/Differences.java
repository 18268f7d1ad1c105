package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import java.util.stream.Stream;

/** {@code diff}: neighbours along a dimension are subtracted, once an order (aten/src/ATen/native/ReduceOps.cpp). */
public final class Differences {
    private Differences() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.diff", Differences::of);
    }

    private static Tensor of(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        int dim = Layout.dimension(a.integer("dim", -1), t.dims());
        long order = a.integer("n", 1);
        if (order == 0) {
            return c.call("copy_", "self", c.call("zeros_like", "self", t), "src", t);
        }
        Tensor[] parts = Stream.of(a.optional("prepend"), t, a.optional("append"))
                .filter(Objects::nonNull)
                .toArray(Tensor[]::new);
        Tensor whole = parts.length == 1 ? t : c.call("cat", "tensors", parts, "dim", dim);
        Tensor at = whole;
        for (long i = Math.min(order, at.size(dim)); i > 0; i--) {
            Tensor next = ofNeighbours(c, at, dim);
            if (at != whole) {
                c.e().free(at);
            }
            at = next;
        }
        return at;
    }

    private static Tensor ofNeighbours(Calls c, Tensor t, int dim) {
        Eager e = c.e();
        long n = t.size(dim);
        Tensor earlier = Slices.slice(e, t, dim, 0, n - 1, 1);
        Tensor later = Slices.slice(e, t, dim, 1, n, 1);
        Tensor out = c.call(t.dtype() == DType.BOOL ? "logical_xor" : "sub", "self", later, "other", earlier);
        e.free(later);
        e.free(earlier);
        return out;
    }
}
