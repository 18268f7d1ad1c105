package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.NoGrad;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/** Distances between vectors (ATen/native/Distance.cpp, ATen/native/cuda/DistanceKernel.cu). */
public final class Distances {
    /** From so many vectors on, Euclidean distances are computed by a matrix product. */
    private static final long BY_PRODUCT = 25;

    private Distances() {}

    public static void register(Registry r) {
        r.single("aten.cosine_similarity", c -> cosine(new Body(c.runtime(), r), c));
        r.single(
                "aten.pairwise_distance",
                c -> pairwise(
                        new Body(c.runtime(), r),
                        c.tensor("x1"),
                        c.tensor("x2"),
                        c.number("p", 2),
                        c.flag("keepdim", false)));
        r.single("aten.dist", c -> dist(new Body(c.runtime(), r), c));
        r.single("aten.cdist", c -> cdist(new Body(c.runtime(), r), c));
        r.single("aten.pdist", Distances::pdist);
    }

    private static Tensor cosine(Body b, Call c) {
        Tensor x = c.tensor("x1");
        Tensor y = c.tensor("x2");
        long[] sizes = Shapes.broadcast(x.sizes(), y.sizes());
        Tensor second = b.let(b.call("expand", y, sizes));
        Tensor first = b.let(b.call("expand", x, sizes));
        long[] dim = {c.integer("dim", 1)};
        Tensor firstNorm = b.let(b.call("clone", b.call("linalg_vector_norm", first, 2.0, dim, true)));
        Tensor secondNorm = b.let(b.call("clone", b.call("linalg_vector_norm", second, 2.0, dim, true)));
        b.let(b.made(b.runtime().empty(first.dtype().isReducedFloat() ? DType.FLOAT32 : first.dtype())));
        Tensor right = b.call("div.Tensor", second, secondNorm);
        Tensor left = b.call("div.Tensor", first, firstNorm);
        return b.give(b.call("sum.dim_IntList", b.call("mul.Tensor", left, right), dim));
    }

    /** {@code norm(x - y + eps)} along the last dimension. */
    public static Tensor pairwise(Body b, Tensor x, Tensor y, double p, boolean keep) {
        int dim = Math.max(x.dim(), y.dim()) - 1;
        Tensor difference = b.call("add.Scalar", b.call("sub.Tensor", x, y), 1e-6);
        return b.give(b.call("norm.ScalarOpt_dim", difference, p, new long[] {dim}, keep));
    }

    /** {@code dist}: the difference is computed again for each gradient (norm_backward). */
    private static Tensor dist(Body b, Call c) {
        EagerRuntime rt = b.runtime();
        Tensor x = c.tensor("self");
        Tensor y = c.tensor("other");
        double p = c.number("p", 2);
        Recorder r = rt.record("DistBackward0", x, y);
        Saved so = r.save(y);
        Saved ss = r.save(x);
        Tensor out = NoGrad.call(rt, () -> b.give(b.call("norm.Scalar", b.call("sub.Tensor", x, y), p)));
        Saved result = r.saveOutput(out);
        boolean[] all = new boolean[Math.max(x.dim(), y.dim())];
        java.util.function.UnaryOperator<Tensor> gradient = g -> {
            try (Frame formula = rt.frame()) {
                Tensor difference = rt.empty(
                        so.get().dtype(),
                        Shapes.broadcast(ss.get().sizes(), so.get().sizes()));
                Tensor out1;
                try (Frame norm = rt.frame()) {
                    out1 = norm.keep(Norms.backward(rt, g, difference, result.get(), p, all, true));
                }
                return formula.keep(out1);
            }
        };
        return r.gradient(1, g -> {
                    try (Frame formula = rt.frame()) {
                        Tensor difference = rt.empty(
                                so.get().dtype(),
                                Shapes.broadcast(ss.get().sizes(), so.get().sizes()));
                        Tensor toSelf;
                        try (Frame norm = rt.frame()) {
                            toSelf = norm.keep(Norms.backward(rt, g, difference, result.get(), p, all, true));
                        }
                        return toSelf == null ? null : formula.keep(Pointwise.op(rt, toSelf));
                    }
                })
                .gradient(0, gradient::apply)
                .output(out);
    }

    private static Tensor cdist(Body b, Call c) {
        Tensor x = c.tensor("x1");
        Tensor y = c.tensor("x2");
        if (!java.util.Arrays.equals(x.sizes(), 0, x.dim() - 2, y.sizes(), 0, y.dim() - 2)) {
            throw new NoRule("distances between batches of different sizes");
        }
        long mode = c.integer("compute_mode", 0);
        boolean many = x.size(-2) > BY_PRODUCT || y.size(-2) > BY_PRODUCT;
        boolean product = c.number("p", 2) == 2 && (mode == 1 || mode == 0 && many);
        return product ? euclidean(b, x, y) : direct(b.runtime(), x, y);
    }

    /** {@code _euclidean_dist}: one product of matrices widened by squared norms and ones. */
    private static Tensor euclidean(Body b, Tensor x, Tensor y) {
        EagerRuntime rt = b.runtime();
        Recorder r = rt.record("EuclideanDistBackward0", x, y);
        Saved sx = r.save(x);
        Saved sy = r.save(y);
        boolean mode = rt.setGradMode(false);
        Tensor[] ofX = normAndOnes(b, x);
        Tensor[] ofY = normAndOnes(b, y);
        Tensor left = b.call("cat", new Tensor[] {b.call("mul.Scalar", x, -2), ofX[0], ofX[1]}, -1);
        b.drop(ofX[1]);
        b.drop(ofX[0]);
        b.let(left);
        Tensor right = b.call("cat", new Tensor[] {y, ofY[1], ofY[0]}, -1);
        b.drop(ofY[0]);
        b.drop(ofY[1]);
        b.let(right);
        Tensor out = b.give(b.call("matmul", left, b.call("mT", right)));
        rt.setGradMode(mode);
        Saved result = r.saveOutput(out);
        return r.gradients(grads -> grads[0] == null
                        ? new Tensor[2]
                        : euclideanBackward(b, grads[0], sx.get(), sy.get(), result.get()))
                .output(out);
    }

    private static Tensor[] normAndOnes(Body b, Tensor x) {
        Tensor norm = b.let(b.call("sum.dim_IntList", b.call("pow.Tensor_Scalar", x, 2), new long[] {-1}, true));
        return new Tensor[] {norm, b.let(b.made(b.runtime().emptyLike(norm)))};
    }

    private static Tensor[] euclideanBackward(Body b, Tensor g, Tensor x, Tensor y, Tensor result) {
        Tensor ratio = b.let(b.op(g, result));
        b.test(result);
        b.end();
        Tensor one = b.call("matmul", ratio, y);
        Tensor first = b.op(b.op(x, b.call("sum.dim_IntList", ratio, new long[] {-1}, true)), one);
        Tensor other = b.call("matmul", b.call("mT", ratio), x);
        Tensor sums = b.call("sum.dim_IntList", ratio, new long[] {-2}, false);
        Tensor second = b.op(b.op(y, b.call("unsqueeze", sums, -1)), other);
        b.giveAll(first, second);
        return new Tensor[] {first, second};
    }

    private static Tensor direct(EagerRuntime rt, Tensor x, Tensor y) {
        Recorder r = rt.record("CdistBackward0", x, y);
        Saved sx = r.save(x);
        Saved sy = r.save(y);
        long[] batch = Shapes.broadcast(
                java.util.Arrays.copyOf(x.sizes(), x.dim() - 2), java.util.Arrays.copyOf(y.sizes(), y.dim() - 2));
        long[] sizes = java.util.Arrays.copyOf(batch, batch.length + 2);
        sizes[batch.length] = x.size(-2);
        sizes[batch.length + 1] = y.size(-2);
        Tensor out;
        try (Frame forward = rt.frame()) { // cdist_impl: the kernel wants both in order
            contiguous(rt, x);
            contiguous(rt, y);
            out = forward.keep(rt.empty(x.dtype(), sizes));
        }
        Saved result = r.saveOutput(out);
        long cells = out.numel() * x.size(-1);
        return r.gradient(0, g -> {
                    contiguous(rt, g);
                    return directBackward(rt, sx.get(), sy.get(), cells);
                })
                .gradient(1, g -> {
                    contiguous(rt, Views.transpose(rt, result.get(), -2, -1));
                    contiguous(rt, Views.transpose(rt, g, -2, -1));
                    return directBackward(rt, sy.get(), sx.get(), cells);
                })
                .output(out);
    }

    private static Tensor contiguous(EagerRuntime rt, Tensor t) {
        return t.isContiguous() ? t : rt.empty(t.dtype(), t.sizes());
    }

    private static Tensor directBackward(EagerRuntime rt, Tensor x, Tensor other, long cells) {
        try (Frame backward = rt.frame()) { // _cdist_backward
            contiguous(rt, x);
            contiguous(rt, other);
            Tensor out = rt.empty(x.dtype(), x.sizes());
            rt.free(rt.empty(x.dtype(), cells));
            return backward.keep(out);
        }
    }

    private static Tensor pdist(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("PdistBackward0", x);
        Saved self = r.save(x);
        long n = x.size(0);
        Tensor out = rt.empty(x.dtype(), n * (n - 1) / 2);
        r.saveOutput(out);
        return r.gradient(0, g -> {
                    Tensor result = new Formula(rt).zerosLike(self.get());
                    rt.free(rt.empty(DType.FLOAT32, n - 1, n, self.get().size(1)));
                    return result;
                })
                .output(out);
    }
}
