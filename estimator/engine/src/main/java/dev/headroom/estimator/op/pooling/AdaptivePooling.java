package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Shapes;

/**
 * Pooling to a given size (ATen/native/AdaptiveAveragePooling.cpp and 3d, ATen/native/cuda/AdaptiveAveragePooling.cu,
 * AdaptiveMaxPooling2d.cu and 3d).
 */
final class AdaptivePooling {
    @FunctionalInterface
    interface Pool {
        Tensor[] run(EagerRuntime rt, Tensor x, long[] to);
    }

    private AdaptivePooling() {}

    /** One dimension as two. */
    static Tensor[] line(Call c, Pool pool) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor wide = Views.unsqueeze(rt, x, -2);
        Tensor[] made = pool.run(rt, wide, new long[] {1, c.integers("output_size", 1, 1)[0]});
        for (int i = 0; i < made.length; i++) {
            Tensor narrow = Views.squeeze(rt, made[i], -2);
            rt.free(made[i]);
            made[i] = narrow;
        }
        rt.free(wide);
        return made;
    }

    private static long[] sizes(Tensor x, long[] to) {
        long[] sizes = x.sizes().clone();
        System.arraycopy(to, 0, sizes, sizes.length - to.length, to.length);
        return sizes;
    }

    /** One output pixel is a mean; more go through the adaptive kernel. */
    static Tensor[] average(EagerRuntime rt, Tensor x, long[] to) {
        if (Shapes.numel(to) == 1) {
            long[] dims = to.length == 2 ? new long[] {-1, -2} : new long[] {-1, -2, -3};
            Tensor mean = Reductions.mean(rt, x, dims, true, x.dtype());
            return new Tensor[] {Copies.suggestsChannelsLast(x) ? restrided(rt, mean) : mean};
        }
        boolean volume = to.length == 3;
        long[] sizes = sizes(x, to);
        Recorder r = rt.record(volume ? "AdaptiveAvgPool3DBackward0" : "AdaptiveAvgPool2DBackward0", x);
        Saved self = r.save(x);
        boolean channelsLast = !volume && Copies.suggestsChannelsLast(x);
        Tensor dense = channelsLast ? x : Copies.dense(rt, x);
        Tensor out =
                rt.emptyStrided(x.dtype(), sizes, channelsLast ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes));
        rt.freeUnless(dense, x);
        r.gradient(0, g -> spread(rt, g, self.get(), channelsLast))
                .again(grads -> {
                    Recorder twice = rt.record("AdaptiveAvgPool2DBackwardBackward0", grads[0], self.get());
                    Saved in = twice.saveIf(twice.needs(1), self.get());
                    Tensor grad = spread(rt, grads[0], self.get(), channelsLast);
                    return new Tensor[] {
                        twice.gradient(0, gg -> average(rt, gg, to)[0])
                                .gradient(1, gg -> rt.emptyLike(in.get()))
                                .again()
                                .output(grad)
                    };
                })
                .output(out);
        return new Tensor[] {out};
    }

    private static Tensor spread(EagerRuntime rt, Tensor g, Tensor in, boolean channelsLast) {
        if (channelsLast) {
            return rt.emptyStrided(g.dtype(), in.sizes(), Shapes.channelsLast(in.sizes()));
        }
        Tensor grad = rt.empty(g.dtype(), in.sizes());
        rt.freeUnless(Copies.dense(rt, g), g);
        return grad;
    }

    /** {@code out.as_strided_(...)} in channels-last order: autograd scatters the gradient into a fresh tensor. */
    private static Tensor restrided(EagerRuntime rt, Tensor mean) {
        Recorder r = rt.record("AsStridedBackward1", mean);
        Tensor out = rt.reinterpret(mean, mean.sizes(), Shapes.channelsLast(mean.sizes()), mean.offset());
        r.gradient(0, g -> rt.empty(g.dtype(), g.sizes())).output(out);
        rt.free(mean);
        return out;
    }

    /** In two dimensions results take the suggested layout, though the kernel writes contiguous ones. */
    static Tensor[] maximum(EagerRuntime rt, Tensor x, long[] to) {
        boolean volume = to.length == 3;
        MemoryFormat format = volume ? MemoryFormat.CONTIGUOUS : Pooling.formatOf(x);
        boolean turned = format != MemoryFormat.CONTIGUOUS;
        long[] sizes = sizes(x, to);
        Recorder r = rt.record(volume ? "AdaptiveMaxPool3DBackward0" : "AdaptiveMaxPool2DBackward0", x);
        Saved self = r.save(x);
        long[] strides = turned ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, strides);
        Tensor indices = rt.emptyStrided(DType.INT64, sizes, strides);
        Tensor plainOut = out.isContiguous() ? null : rt.empty(x.dtype(), sizes);
        Tensor plainIndices = out.isContiguous() ? null : rt.empty(DType.INT64, sizes);
        Tensor dense = Copies.dense(rt, x);
        rt.freeUnless(dense, x);
        rt.free(plainIndices);
        rt.free(plainOut);
        Saved at = r.saveOutput(indices);
        r.gradient(0, g -> {
                    Tensor in = self.get();
                    Tensor grad = rt.emptyStrided(
                            g.dtype(),
                            in.sizes(),
                            turned ? Shapes.channelsLast(in.sizes()) : Shapes.contiguous(in.sizes()));
                    Tensor gradient = Copies.dense(rt, g);
                    Tensor plain = Copies.dense(rt, at.get());
                    Tensor plainGrad = grad.isContiguous() ? null : rt.empty(g.dtype(), in.sizes());
                    rt.free(plainGrad);
                    rt.freeUnless(plain, at.get());
                    rt.freeUnless(gradient, g);
                    return grad;
                })
                .output(out);
        r.nonDifferentiable(indices);
        return new Tensor[] {out, indices};
    }
}
