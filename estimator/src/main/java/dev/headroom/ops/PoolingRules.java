package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.graph.GraphException;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Shapes;
import dev.headroom.shadow.Tensor;

/** Pooling (ATen/native/cuda/DilatedMaxPool2d.cu, AveragePool2d.cu, AdaptiveAveragePooling.cu). */
final class PoolingRules {
    private PoolingRules() {}

    static void register(Registry r) {
        r.single("aten.max_pool2d", c -> maxPool2d(c)[0]);
        r.add("aten.max_pool2d_with_indices", PoolingRules::maxPool2d);
        r.single("aten.avg_pool2d", PoolingRules::avgPool2d);
        r.single("aten.adaptive_avg_pool2d", PoolingRules::adaptiveAvgPool2d);
    }

    private static long[] channelsLastOr(Tensor like, long[] sizes) {
        return Convolution.suggestsChannelsLast(like) ? Shapes.channelsLast(sizes) : Shapes.contiguous(sizes);
    }

    /** {@code pooling_output_shape} (ATen/native/Pool.h). */
    static long pooled(long in, long kernel, long padding, long stride, long dilation, boolean ceil) {
        long span = in + 2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
        long out = Math.floorDiv(span, stride) + 1;
        if (ceil && (out - 1) * stride >= in + padding) {
            out--;
        }
        if (out <= 0) {
            throw new GraphException("pooling of size " + in + " with kernel " + kernel + " has no output");
        }
        return out;
    }

    private static long[] windowed(Call c, Tensor x, int dims) {
        long[] kernel = c.integers("kernel_size", dims, 1);
        long[] given = c.integers("stride");
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

    /** Result and indices; both, and the input, are kept. */
    private static Tensor[] maxPool2d(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("self");
        long[] sizes = windowed(c, x, 2);
        Recording r = rt.record("MaxPool2DWithIndicesBackward0", x);
        Saved self = r == null ? null : r.save(x);
        long[] strides = channelsLastOr(x, sizes);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, strides);
        Tensor indices = rt.emptyStrided(DType.INT64, sizes, strides);
        if (r != null) {
            Saved at = r.saveOutput(indices);
            r.gradient(0, g -> {
                        Tensor in = self.get();
                        at.get();
                        Tensor dense = Copies.contiguous(rt, g, formatOf(in));
                        Tensor grad = rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
                        if (dense != g) {
                            rt.free(dense);
                        }
                        return grad;
                    })
                    .output(out)
                    .nonDifferentiable(indices);
        }
        return new Tensor[] {out, indices};
    }

    private static dev.headroom.graph.MemoryFormat formatOf(Tensor t) {
        return Convolution.suggestsChannelsLast(t)
                ? dev.headroom.graph.MemoryFormat.CHANNELS_LAST
                : dev.headroom.graph.MemoryFormat.CONTIGUOUS;
    }

    private static Tensor avgPool2d(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("self");
        long[] sizes = windowed(c, x, 2);
        Recording r = rt.record("AvgPool2DBackward0", x);
        Saved self = r == null ? null : r.save(x);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, channelsLastOr(x, sizes));
        if (r != null) {
            r.gradient(0, g -> {
                        Tensor in = self.get();
                        return rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
                    })
                    .output(out);
        }
        return out;
    }

    /** One output pixel is a mean; more go through the adaptive kernel (ATen/native/AdaptiveAveragePooling.cpp). */
    private static Tensor adaptiveAvgPool2d(Call c) {
        Runtime rt = c.runtime();
        Tensor x = c.tensor("self");
        long[] to = c.integers("output_size", 2, 1);
        if (to[0] == 1 && to[1] == 1) {
            Tensor mean = Reductions.mean(rt, x, new long[] {-1, -2}, true, x.dtype());
            if (x.dim() != 4 || !Convolution.suggestsChannelsLast(x)) {
                return mean;
            }
            long channels = x.size(1);
            long[] strides = {channels, 1, channels, channels};
            Tensor out = Views.asStrided(rt, mean, mean.sizes(), strides, mean.offset());
            rt.free(mean);
            return out;
        }
        long[] sizes = x.sizes().clone();
        sizes[sizes.length - 2] = to[0];
        sizes[sizes.length - 1] = to[1];
        Recording r = rt.record("AdaptiveAvgPool2DBackward0", x);
        Saved self = r == null ? null : r.save(x);
        Tensor out = rt.emptyStrided(x.dtype(), sizes, channelsLastOr(x, sizes));
        if (r != null) {
            r.gradient(0, g -> {
                        Tensor in = self.get();
                        return rt.emptyStrided(g.dtype(), in.sizes(), channelsLastOr(in, in.sizes()));
                    })
                    .output(out);
        }
        return out;
    }
}
