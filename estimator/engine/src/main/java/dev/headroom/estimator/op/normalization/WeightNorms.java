package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Weights over their norms (ATen/native/WeightNorm.cpp, _weight_norm and norm_except_dim). */
final class WeightNorms {
    private WeightNorms() {}

    static void register(Registry r) {
        r.single("aten._weight_norm", c -> {
            Tensor v = c.tensor("v");
            int dim = Shapes.wrap(c.integer("dim", 0), v.dim());
            return dim == 0 || dim == v.dim() - 1 ? fused(c) : composed(new Body(c.runtime(), r), c, dim);
        });
        r.single("aten.norm_except_dim", c -> {
            Body b = new Body(c.runtime(), r);
            return b.give(norm(b, c.tensor("v"), c.integer("pow", 2), c.integer("dim", 0)));
        });
    }

    private static Tensor composed(Body b, Call c, int dim) {
        Tensor v = c.tensor("v");
        return b.give(b.call("mul.Tensor", v, b.call("div.Tensor", c.tensor("g"), norm(b, v, 2, dim))));
    }

    /** Of all but one dimension; -1 stands for none. */
    private static Tensor norm(Body b, Tensor v, long power, long dim) {
        if (dim == -1) {
            return b.call("norm.Scalar", v, power);
        }
        int last = v.dim() - 1;
        if (dim != 0 && dim != last) {
            return b.call("transpose.int", norm(b, b.call("transpose.int", v, 0, dim), power, 0), 0, dim);
        }
        boolean rows = dim == 0;
        long[] sizes = new long[v.dim()];
        Arrays.fill(sizes, 1);
        sizes[rows ? 0 : last] = v.size(rows ? 0 : last);
        long[] flat = rows ? new long[] {v.size(0), -1} : new long[] {-1, v.size(last)};
        Tensor lines = b.call("view", b.call("contiguous", v), flat);
        return b.call("view", b.call("norm.ScalarOpt_dim", lines, power, new long[] {rows ? 1 : 0}), sizes);
    }

    /** The fused kernel of the first or last dimension (ATen/native/WeightNorm.cpp, cuda/WeightNorm.cu). */
    private static Tensor fused(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor v = c.tensor("v");
        Tensor g = c.tensor("g");
        Recorder r = rt.record("WeightNormInterfaceBackward0", v, g);
        Saved weight = r.save(v);
        Saved scale = r.save(g);
        Tensor out = rt.emptyLike(v);
        Tensor norms = rt.empty(g.dtype().isReducedFloat() ? DType.FLOAT32 : g.dtype(), g.sizes());
        r.saveOutput(norms);
        r.gradients(grads -> {
                    if (grads[0] == null) {
                        return new Tensor[2];
                    }
                    Tensor dense = Copies.contiguous(rt, grads[0]);
                    Tensor[] both = {rt.emptyLike(weight.get()), rt.emptyLike(scale.get())};
                    rt.freeUnless(dense, grads[0]);
                    return both;
                })
                .output(out);
        r.nonDifferentiable(norms);
        rt.free(norms);
        return out;
    }
}
