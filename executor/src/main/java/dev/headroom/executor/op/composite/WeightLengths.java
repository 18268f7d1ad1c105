package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** {@code norm_except_dim}: lengths over all dimensions but one (aten/src/ATen/native/WeightNorm.cpp). */
public final class WeightLengths {
    private WeightLengths() {}

    static void register(Operators o) {
        Calls.add(
                o,
                "aten.norm_except_dim",
                (c, a) -> of(c, a.tensor("v"), a.integer("pow", 2), Math.toIntExact(a.integer("dim", 0))));
    }

    /** {@code v * (g / norm_except_dim(v))}, as weights are normalised along an inner dimension. */
    public static Tensor composed(Calls c, Tensor v, Tensor g, int dim) {
        return c.call("mul", "self", v, "other", c.call("div", "self", g, "other", of(c, v, 2, dim)));
    }

    /** Minus one stands for no dimension. */
    static Tensor of(Calls c, Tensor v, long power, int dim) {
        int last = v.dims() - 1;
        if (dim == -1) {
            return c.call("norm", "self", v, "p", power);
        }
        if (dim != 0 && dim != last) {
            return Views.transpose(c.e(), of(c, Views.transpose(c.e(), v, 0, dim), power, 0), 0, dim);
        }
        long[] flat = dim == 0 ? new long[] {v.size(0), -1} : new long[] {-1, v.size(last)};
        long[] sizes = new long[v.dims()];
        Arrays.fill(sizes, 1);
        sizes[dim] = v.size(dim);
        Tensor lines = Views.view(c.e(), Copies.contiguous(c.e(), v), flat);
        Tensor lengths = c.call("norm", "self", lines, "p", power, "dim", new long[] {dim == 0 ? 1 : 0});
        return Views.view(c.e(), lengths, sizes);
    }
}
