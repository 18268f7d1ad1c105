package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Kernels of no larger family: grids, shuffled channels, renormalised rows, searches. */
public final class MoreKernels {
    private MoreKernels() {}

    public static void register(Registry r) {
        for (String name : new String[] {"channel_shuffle", "native_channel_shuffle"}) {
            r.single("aten." + name, MoreKernels::shuffled);
        }
        r.single("aten.affine_grid_generator", c -> affineGrid(new Body(c.runtime(), r), c));
        r.single("aten.renorm", MoreKernels::renorm);
        r.single("aten.searchsorted", MoreKernels::found);
        r.single("aten.bucketize", MoreKernels::found);
        r.single("aten.trace", MoreKernels::trace);
    }

    /** The gradient is written to zeros at the places of the diagonal (FunctionsManual.cpp, trace_backward). */
    private static Tensor trace(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("TraceBackward0", x);
        Tensor out = rt.empty(x.dtype());
        long[] sizes = x.sizes();
        return r.gradient(0, g -> {
                    Tensor zeros = Creation.zeros(rt, g.dtype(), Shapes.numel(sizes));
                    rt.free(rt.empty(DType.INT64, Math.min(sizes[0], sizes[1])));
                    Tensor gradient = rt.reinterpret(zeros, sizes, Shapes.contiguous(sizes), 0);
                    rt.free(zeros);
                    return gradient;
                })
                .output(out);
    }

    private static Tensor shuffled(Call c) {
        EagerRuntime rt = c.runtime();
        Recorder r = rt.record("ChannelShuffleBackward0", c.tensor("self"));
        Tensor out = rt.emptyLike(c.tensor("self"));
        return r.gradient(0, g -> rt.emptyLike(g)).output(out);
    }

    /** ATen/native/AffineGridGenerator.cpp: the plain grid, then a product with each matrix. */
    private static Tensor affineGrid(Body b, Call c) {
        EagerRuntime rt = c.runtime();
        Tensor theta = c.tensor("theta");
        long[] size = c.integers("size");
        boolean corners = c.flag("align_corners", false);
        int dims = size.length - 2;
        Recorder r = rt.record("AffineGridGeneratorBackward0", theta);
        boolean mode = rt.setGradMode(false);
        Tensor grid = b.let(b.made(grid(rt, theta.dtype(), size, corners)));
        Tensor product = b.call("bmm", grid, b.call("transpose.int", theta, 1, 2));
        long[] sizes = new long[dims + 2];
        sizes[0] = size[0];
        System.arraycopy(size, 2, sizes, 1, dims);
        sizes[dims + 1] = dims;
        Tensor out = b.give(b.made(rt.reinterpret(product, sizes, Shapes.contiguous(sizes), 0)));
        rt.setGradMode(mode);
        return r.gradient(0, g -> {
                    Tensor plain = b.let(b.made(grid(rt, g.dtype(), size, corners)));
                    Tensor flat = b.call("view", g, new long[] {size[0], -1, dims});
                    Tensor matrices = b.call("bmm", b.call("transpose.int", plain, 1, 2), flat);
                    return b.give(b.call("transpose.int", matrices, 1, 2));
                })
                .output(out);
    }

    private static Tensor grid(EagerRuntime rt, DType type, long[] size, boolean corners) {
        int dims = size.length - 2;
        long places = Shapes.numel(Arrays.copyOfRange(size, 2, size.length));
        Tensor out = rt.empty(type, size[0], places, dims + 1);
        for (int i = size.length - 1; i >= 2; i--) {
            Tensor line = rt.empty(type, size[i]);
            if (!corners) {
                Tensor product = rt.empty(type, size[i]);
                Tensor quotient = rt.empty(type, size[i]);
                rt.free(line);
                rt.free(product);
                rt.free(quotient);
            } else {
                rt.free(line);
            }
        }
        return out;
    }

    /** FunctionsManual.cpp, renorm_backward, of Euclidean norms. */
    private static Tensor renorm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        if (c.number("p", 2) != 2) {
            throw new NoRule("renorm by other norms than the Euclidean");
        }
        int dim = Shapes.wrap(c.integer("dim"), x.dim());
        boolean[] mask = new boolean[x.dim()];
        Arrays.fill(mask, true);
        mask[dim] = false;
        Recorder r = rt.record("RenormBackward0", x);
        Saved self = r.save(x);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        rt.free(norm(rt, x, mask));
        return r.gradient(0, g -> renormBackward(rt, g, self.get(), mask)).output(out);
    }

    private static Tensor norm(EagerRuntime rt, Tensor x, boolean[] mask) {
        return Reductions.reduce(rt, x, mask, true, x.dtype(), Reductions.accumulator(x.dtype()));
    }

    private static Tensor renormBackward(EagerRuntime rt, Tensor g, Tensor x, boolean[] mask) {
        Formula f = new Formula(rt);
        Tensor norm = norm(rt, x, mask);
        Tensor product = f.op(x, g);
        Tensor sum = norm(rt, product, mask);
        rt.free(product);
        Tensor ratio = f.op(x, norm);
        Tensor none = f.test(norm);
        Tensor ofNorm = f.op(ratio, sum);
        rt.free(none);
        rt.free(ratio);
        rt.free(sum);
        Tensor more = f.op(norm);
        Tensor inverse = f.op(more);
        rt.free(more);
        Tensor scaled = f.op(inverse, ofNorm);
        Tensor rest = f.op(g, scaled);
        Tensor limit = f.op(inverse);
        Tensor gradient = f.op(limit, rest);
        rt.free(limit);
        rt.free(rest);
        rt.free(scaled);
        Tensor large = f.test(norm);
        Tensor out = f.where(large, gradient, g);
        rt.free(large);
        rt.free(gradient);
        rt.free(inverse);
        rt.free(ofNorm);
        rt.free(norm);
        return out;
    }

    private static Tensor found(Call c) {
        Tensor values = c.isTensor("self") ? c.tensor("self") : c.runtime().empty(DType.FLOAT32);
        return c.runtime().empty(c.flag("out_int32", false) ? DType.INT32 : DType.INT64, values.sizes());
    }
}
