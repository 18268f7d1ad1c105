package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Products with a summand, Kronecker's and contractions (ATen/native/LinearAlgebra.cpp, Linear.cpp). */
final class MoreProducts {
    private MoreProducts() {}

    private static Tensor scaled(EagerRuntime rt, Tensor t, Call c, String factor) {
        return c.number(factor, 1) == 1 ? t : Pointwise.opFreeing(rt, t);
    }

    /** {@code beta * grad}, where the gradient is not this formula's to free. */
    private static Tensor weighted(EagerRuntime rt, Tensor g, boolean beta) {
        return beta ? Pointwise.op(rt, g) : g;
    }

    static Tensor addbmm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("batch1");
        Tensor b = c.tensor("batch2");
        Recorder r = rt.record("AddbmmBackward0", c.tensor("self"), a, b);
        Saved sa = r.saveIf(r.needs(2), a);
        Saved sb = r.saveIf(r.needs(1), b);
        Tensor out = rt.empty(a.dtype(), a.size(1), b.size(2));
        rt.workspaces().useBlas();
        boolean beta = c.number("beta", 1) != 1;
        long[] wide = {a.size(0), a.size(1), b.size(2)};
        return r.gradient(1, g -> {
                    Tensor grad = Views.expand(rt, Views.unsqueeze(rt, g, 0), wide);
                    return scaled(rt, Matmul.bmm(rt, null, grad, Views.transpose(rt, sb.get(), 1, 2)), c, "alpha");
                })
                .gradient(2, g -> {
                    Tensor grad = Views.expand(rt, Views.unsqueeze(rt, g, 0), wide);
                    return scaled(rt, Matmul.bmm(rt, null, Views.transpose(rt, sa.get(), 1, 2), grad), c, "alpha");
                })
                .gradient(0, g -> weighted(rt, g, beta))
                .output(out);
    }

    static Tensor addmv(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor m = c.tensor("mat");
        Tensor v = c.tensor("vec");
        Recorder r = rt.record("AddmvBackward0", c.tensor("self"), m, v);
        Saved sm = r.saveIf(r.needs(2), m);
        Saved sv = r.saveIf(r.needs(1), v);
        Tensor out = rt.empty(m.dtype(), m.size(0));
        rt.workspaces().useBlas();
        boolean beta = c.number("beta", 1) != 1;
        return r.gradient(1, g -> {
                    Tensor outer = Pointwise.op(rt, Views.unsqueeze(rt, g, 1), Views.unsqueeze(rt, sv.get(), 0));
                    return scaled(rt, outer, c, "alpha");
                })
                .gradient(0, g -> weighted(rt, g, beta))
                .gradient(2, g -> scaled(rt, Matmul.mv(rt, Views.t(rt, sm.get()), g), c, "alpha"))
                .output(out);
    }

    static Tensor addr(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor a = c.tensor("vec1");
        Tensor b = c.tensor("vec2");
        Recorder r = rt.record("AddrBackward0", x, a, b);
        Saved sa = r.saveIf(r.needs(2), a);
        Saved sb = r.saveIf(r.needs(1), b);
        Tensor out = rt.empty(Strided.promote(x, a, b), a.size(0), b.size(0));
        boolean beta = c.number("beta", 1) != 1;
        return r.gradient(0, g -> weighted(rt, g, beta))
                .gradient(1, g -> scaled(rt, Matmul.mv(rt, g, sb.get()), c, "alpha"))
                .gradient(2, g -> scaled(rt, Matmul.mv(rt, Views.t(rt, g), sa.get()), c, "alpha"))
                .output(out);
    }

    /** Both are viewed with sizes of 1 between their own, so that one product makes every pair. */
    static Tensor kron(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        int n = Math.max(a.dim(), b.dim());
        long[] left = new long[2 * n];
        long[] right = new long[2 * n];
        long[] sizes = new long[n];
        for (int i = 0; i < n; i++) {
            left[2 * i] = sizeOrOne(a, i - (n - a.dim()));
            left[2 * i + 1] = 1;
            right[2 * i] = 1;
            right[2 * i + 1] = sizeOrOne(b, i - (n - b.dim()));
            sizes[i] = left[2 * i] * right[2 * i + 1];
        }
        Tensor x = Views.unsafeView(rt, a, left);
        Tensor y = Views.unsafeView(rt, b, right);
        Tensor product = Pointwise.mul(rt, x, y);
        Tensor out = Views.unsafeView(rt, product, sizes);
        rt.free(product);
        rt.free(y);
        rt.free(x);
        return out;
    }

    private static long sizeOrOne(Tensor t, int dim) {
        return dim < 0 ? 1 : t.size(dim);
    }

    /** {@code tensordot}: both become matrices, the contracted dimensions joined. */
    static Tensor tensordot(Call c, Body body) {
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        boolean[] inA = contracted(c.integers("dims_self"), a);
        boolean[] inB = contracted(c.integers("dims_other"), b);
        if (c.integers("dims_self").length == a.dim() || c.integers("dims_other").length == b.dim()) {
            throw new NoRule("a contraction of all dimensions");
        }
        long joined = 1;
        for (long d : c.integers("dims_self")) {
            joined *= a.size(Shapes.wrap(d, a.dim()));
        }
        if (a.numel() == joined && b.numel() == joined) {
            throw new NoRule("a contraction of all dimensions");
        }
        for (int i = 0; i < c.integers("dims_self").length; i++) {
            int d = Shapes.wrap(c.integers("dims_self")[i], a.dim());
            if (a.size(d) != b.size(Shapes.wrap(c.integers("dims_other")[i], b.dim()))) {
                throw new NoRule("a contraction that broadcasts");
            }
        }
        Tensor left = body.let(
                body.call("reshape", body.call("permute", a, order(c.integers("dims_self"), inA, true)), new long[] {
                    joined == 0 ? 0 : a.numel() / joined, joined
                }));
        Tensor right = body.let(
                body.call("reshape", body.call("permute", b, order(c.integers("dims_other"), inB, false)), new long[] {
                    joined, joined == 0 ? 0 : b.numel() / joined
                }));
        long[] sizes = new long[a.dim() + b.dim() - 2 * c.integers("dims_self").length];
        int n = free(a, inA, sizes, 0);
        free(b, inB, sizes, n);
        return body.give(body.call("reshape", body.call("mm", left, right), sizes));
    }

    private static boolean[] contracted(long[] dims, Tensor t) {
        boolean[] out = new boolean[t.dim()];
        for (long d : dims) {
            out[Shapes.wrap(d, t.dim())] = true;
        }
        return out;
    }

    private static int free(Tensor t, boolean[] contracted, long[] sizes, int from) {
        int n = from;
        for (int i = 0; i < contracted.length; i++) {
            if (!contracted[i]) {
                sizes[n++] = t.size(i);
            }
        }
        return n;
    }

    private static long[] order(long[] dims, boolean[] contracted, boolean last) {
        long[] out = new long[contracted.length];
        int n = last ? 0 : dims.length;
        for (int i = 0; i < contracted.length; i++) {
            if (!contracted[i]) {
                out[n++] = i;
            }
        }
        int at = last ? n : 0;
        for (long d : dims) {
            out[at++] = Shapes.wrap(d, contracted.length);
        }
        return out;
    }

    /** {@code bilinear}: a sum over the outputs' features, one after the other ({@code _trilinear}). */
    static Tensor bilinear(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor first = c.tensor("input1");
        Tensor second = c.tensor("input2");
        Tensor weight = c.tensor("weight");
        Tensor bias = c.tensorOrNull("bias");
        Tensor x = Views.reshape(rt, first, -1, first.size(-1));
        Tensor y = Views.reshape(rt, second, -1, second.size(-1));
        long features = weight.size(0);
        long rows = x.size(0);
        Recorder r = rt.record("TrilinearBackward0", x, weight, y);
        Saved sx = r.save(x);
        Saved sw = r.save(weight);
        Saved sy = r.save(y);
        Tensor out = rt.empty(x.dtype(), rows, features);
        for (long k = 0; k < features; k++) {
            Tensor inner = rt.empty(x.dtype(), rows, y.size(1));
            rt.workspaces().useBlas();
            step(rt, inner, rt.empty(x.dtype(), rows, 1));
        }
        r.gradients(grads -> {
                    Tensor[] g = new Tensor[3];
                    if (grads[0] == null) {
                        return g;
                    }
                    g[0] = partial(rt, r.needs(0), sx.get(), features, rows * weight.size(1) * weight.size(2));
                    g[1] = partialOfWeight(rt, r.needs(1), sw.get(), sx.get());
                    g[2] = partial(rt, r.needs(2), sy.get(), features, sy.get().numel());
                    return g;
                })
                .output(out);
        long[] sizes = first.sizes().clone();
        sizes[sizes.length - 1] = features;
        Tensor viewed = Arrays.equals(sizes, out.sizes()) ? out : Views.reshape(rt, out, sizes);
        Tensor sum = bias == null ? viewed : Pointwise.add(rt, viewed, bias);
        if (sum != viewed) {
            rt.freeUnless(viewed, out);
        }
        if (sum != out) {
            rt.free(out);
        }
        rt.freeUnless(y, second);
        rt.freeUnless(x, first);
        return sum;
    }

    private static void step(EagerRuntime rt, Tensor temporary, Tensor part) {
        rt.free(temporary);
        rt.free(part);
    }

    private static @Nullable Tensor partial(
            EagerRuntime rt, boolean wanted, Tensor like, long features, long temporary) {
        if (!wanted) {
            return null;
        }
        Tensor out = rt.empty(like.dtype(), like.sizes());
        for (long k = 0; k < features; k++) {
            Tensor inner = rt.empty(like.dtype(), temporary);
            Tensor part = rt.empty(like.dtype(), like.sizes());
            rt.workspaces().useBlas();
            step(rt, inner, part);
        }
        return out;
    }

    private static @Nullable Tensor partialOfWeight(EagerRuntime rt, boolean wanted, Tensor weight, Tensor x) {
        if (!wanted) {
            return null;
        }
        Tensor out = rt.empty(weight.dtype(), weight.sizes());
        for (long k = 0; k < weight.size(0); k++) {
            Tensor inner = rt.empty(x.dtype(), x.sizes());
            Tensor part = rt.empty(x.dtype(), weight.size(1), weight.size(2));
            rt.workspaces().useBlas();
            step(rt, inner, part);
        }
        return out;
    }

    /** {@code linalg_cross}, also under its old name. */
    static Tensor cross(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor a = c.tensor("self");
        Tensor b = c.tensor("other");
        Recorder r = rt.record("LinalgCrossBackward0", a, b);
        Saved sb = r.saveIf(r.needs(0), b);
        Saved sa = r.saveIf(r.needs(1), a);
        Tensor out = rt.empty(Strided.promote(a, b), Shapes.broadcast(a.sizes(), b.sizes()));
        return r.gradient(
                        1,
                        g -> rt.empty(
                                g.dtype(), Shapes.broadcast(g.sizes(), sa.get().sizes())))
                .gradient(
                        0,
                        g -> rt.empty(
                                g.dtype(), Shapes.broadcast(g.sizes(), sb.get().sizes())))
                .output(out);
    }
}
