package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Shapes;

/**
 * Pooling over windows (ATen/native/cuda/DilatedMaxPool2d.cu, DilatedMaxPool3d.cu, AveragePool2d.cu,
 * AveragePool3d.cu).
 */
final class Pooling {
    /** Result sizes of a pooling of the last dimensions. */
    @FunctionalInterface
    interface Pool {
        Tensor[] run(EagerRuntime rt, Tensor x, long[] sizes);
    }

    private Pooling() {}

    /** Strides of sizes in the layout that an input suggests. */
    static long[] channelsLastOr(Tensor like, long[] sizes) {
        return Copies.suggestsChannelsLast(like) ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes);
    }

    /** The layout that an input suggests. */
    static MemoryFormat formatOf(Tensor t) {
        if (!Copies.suggestsChannelsLast(t)) {
            return MemoryFormat.CONTIGUOUS;
        }
        return t.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    /** {@code pooling_output_shape} (ATen/native/Pool.h). */
    static long pooled(long in, long kernel, long padding, long stride, long dilation, boolean ceil) {
        long span = in + 2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
        long out = Math.floorDiv(span, stride) + 1;
        if (ceil && (out - 1) * stride >= in + padding) {
            out--;
        }
        if (out <= 0) {
            throw new UserInputException("pooling of size " + in + " with kernel " + kernel + " has no output");
        }
        return out;
    }

    /** One dimension is pooled as two, the first of size 1 (ATen/native/Pooling.cpp). */
    static Tensor[] windowed(Call c, int dims, Pool pool) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        long[] sizes = sizes(c, x, dims);
        if (dims > 1) {
            return pool.run(rt, x, sizes);
        }
        Tensor wide = Views.unsqueeze(rt, x, -2);
        Tensor[] made = pool.run(rt, wide, Dimensions.with(sizes, sizes.length - 1, 1));
        Tensor[] out = new Tensor[made.length];
        for (int i = 0; i < made.length; i++) {
            out[i] = Views.squeeze(rt, made[i], -2);
            rt.free(made[i]);
        }
        rt.free(wide);
        return out;
    }

    private static long[] sizes(Call c, Tensor x, int dims) {
        long[] kernel = c.integers("kernel_size", dims, 1);
        long[] given = c.integersOrNull("stride");
        long[] stride = given == null || given.length == 0 ? kernel : c.integers("stride", dims, 1);
        long[] padding = c.integers("padding", dims, 0);
        long[] dilation = c.integers("dilation", dims, 1);
        boolean ceil = c.flag("ceil_mode", false);
        long[] sizes = x.sizes().clone();
        for (int i = 0; i < dims; i++) {
            int d = x.dim() - dims + i;
            sizes[d] = pooled(x.size(d), kernel[i], padding[i], stride[i], dilation[i], ceil);
        }
        return sizes;
    }

    /** Result and indices, in the input's memory format. */
    private static Tensor[] maxima(EagerRuntime rt, Tensor x, long[] sizes) {
        long[] strides = channelsLastOr(x, sizes);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, strides);
        Tensor indices = rt.emptyStrided(DType.INT64, sizes, strides);
        rt.freeUnless(Copies.dense(rt, x, formatOf(x)), x);
        return new Tensor[] {out, indices};
    }

    /** Result and indices; the indices and the input are kept. */
    static Tensor[] maxPool2d(EagerRuntime rt, Tensor x, long[] sizes) {
        Recorder r = rt.record("MaxPool2DWithIndicesBackward0", x);
        Saved self = r.save(x);
        Tensor[] made = maxima(rt, x, sizes);
        Saved at = r.saveOutput(made[1]);
        r.gradient(0, g -> {
                    at.get();
                    return scattered(rt, g, self.get());
                })
                .again(grads -> {
                    Recorder twice = rt.record("MaxPool2DWithIndicesBackwardBackward0", grads[0], self.get());
                    Saved places = twice.save(at.get());
                    Saved in = twice.saveIf(twice.needs(1), self.get());
                    Tensor grad = scattered(rt, grads[0], self.get());
                    return new Tensor[] {
                        twice.gradient(0, gg -> gathered(rt, gg, places.get()))
                                .gradient(1, gg -> rt.emptyLike(in.get()))
                                .output(grad)
                    };
                })
                .output(made[0]);
        r.nonDifferentiable(made[1]);
        return made;
    }

    private static Tensor scattered(EagerRuntime rt, Tensor g, Tensor in) {
        Tensor grad = rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
        Tensor gradient = Copies.dense(rt, g, formatOf(in));
        Tensor dense = Copies.dense(rt, in, formatOf(in));
        rt.freeUnless(dense, in);
        rt.freeUnless(gradient, g);
        return grad;
    }

    /** FunctionsManual.cpp, max_pool_double_backward. */
    private static Tensor gathered(EagerRuntime rt, Tensor g, Tensor places) {
        Tensor dense = Copies.dense(rt, g, formatOf(places));
        Tensor out = rt.empty(g.dtype(), places.sizes());
        rt.freeUnless(dense, g);
        return out;
    }

    static Tensor[] maxPool3d(EagerRuntime rt, Tensor x, long[] sizes) {
        Recorder r = rt.record("MaxPool3DWithIndicesBackward0", x);
        Saved self = r.save(x);
        Tensor[] made = maxima(rt, x, sizes);
        Saved at = r.saveOutput(made[1]);
        r.gradient(0, g -> {
                    Tensor in = self.get();
                    at.get();
                    Tensor grad = rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
                    rt.freeUnless(Copies.dense(rt, g, formatOf(in)), g);
                    return grad;
                })
                .output(made[0]);
        r.nonDifferentiable(made[1]);
        return made;
    }

    static Tensor[] avgPool2d(EagerRuntime rt, Tensor x, long[] sizes) {
        Recorder r = rt.record("AvgPool2DBackward0", x);
        Saved self = r.save(x);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, channelsLastOr(x, sizes));
        rt.freeUnless(Copies.dense(rt, x, formatOf(x)), x);
        r.gradient(0, g -> {
                    Tensor in = self.get();
                    Tensor grad = rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
                    Tensor dense = Copies.dense(rt, in, formatOf(in));
                    Tensor gradient = Copies.dense(rt, g, formatOf(in));
                    rt.freeUnless(gradient, g);
                    rt.freeUnless(dense, in);
                    return grad;
                })
                .again(grads -> {
                    Recorder twice = rt.record("AvgPool2DBackwardBackward0", grads[0], self.get());
                    Saved in = twice.saveIf(twice.needs(1), self.get());
                    Tensor grad = rt.emptyStrided(
                            grads[0].dtype(),
                            self.get().sizes(),
                            channelsLastOr(self.get(), self.get().sizes()));
                    return new Tensor[] {
                        twice.gradient(0, gg -> avgPool2d(rt, gg, sizes)[0])
                                .gradient(1, gg -> rt.emptyLike(in.get()))
                                .again()
                                .output(grad)
                    };
                })
                .output(out);
        return new Tensor[] {out};
    }

    /** Contiguous only. */
    static Tensor[] avgPool3d(EagerRuntime rt, Tensor x, long[] sizes) {
        Recorder r = rt.record("AvgPool3DBackward0", x);
        Saved self = r.save(x);
        Tensor out = rt.empty(x.dtype(), sizes);
        rt.freeUnless(Copies.dense(rt, x), x);
        r.gradient(0, g -> {
                    Tensor grad = rt.empty(g.dtype(), self.get().sizes());
                    rt.freeUnless(Copies.dense(rt, g), g);
                    return grad;
                })
                .output(out);
        return new Tensor[] {out};
    }

    /** The gradient is gathered (FunctionsManual.cpp, max_unpool_backward). */
    /** Values back at the places that a pooling took them from. */
    static Tensor maxUnpool(Call c, int dims) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor at = c.tensor("indices");
        long[] to = c.integers("output_size");
        Recorder r = rt.record("MaxUnpool" + dims + "DBackward0", x);
        Saved indices = r.save(at);
        long[] sizes = x.sizes().clone();
        System.arraycopy(to, 0, sizes, sizes.length - dims, dims);
        Tensor dense = Copies.dense(rt, x);
        Tensor places = Copies.dense(rt, at);
        Tensor out = rt.empty(x.dtype(), sizes);
        rt.freeUnless(places, at);
        rt.freeUnless(dense, x);
        return r.gradient(0, g -> rt.empty(g.dtype(), indices.get().sizes())).output(out);
    }

    /** Pools at random places (ATen/native/cuda/FractionalMaxPool2d.cu, FractionalMaxPool3d.cu). */
    static Tensor[] fractional(Call c, int dims) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("FractionalMaxPool" + dims + "DBackward0", x);
        Saved self = r.save(x);
        long[] sizes = x.sizes().clone();
        System.arraycopy(c.integers("output_size", dims, 1), 0, sizes, sizes.length - dims, dims);
        Tensor out = rt.empty(x.dtype(), sizes);
        Tensor indices = rt.empty(dev.headroom.model.graph.DType.INT64, sizes);
        r.saveOutput(indices);
        r.gradient(0, g -> rt.empty(g.dtype(), self.get().sizes())).output(out);
        r.nonDifferentiable(indices);
        return new Tensor[] {out, indices};
    }
}
