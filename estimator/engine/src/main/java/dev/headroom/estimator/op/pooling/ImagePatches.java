package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;

/**
 * Images as columns of patches and back, and pixels as channels (ATen/native/cuda/Im2Col.cu, Col2Im.cu,
 * PixelShuffle.cpp).
 */
final class ImagePatches {
    private ImagePatches() {}

    private static long[] columns(Call c, long[] image) {
        long[] kernel = c.integers("kernel_size", 2, 1);
        long[] dilation = c.integers("dilation", 2, 1);
        long[] padding = c.integers("padding", 2, 0);
        long[] stride = c.integers("stride", 2, 1);
        int n = image.length;
        long blocks = 1;
        for (int i = 0; i < 2; i++) {
            blocks *= (image[n - 2 + i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
        }
        long[] out = new long[n - 1];
        System.arraycopy(image, 0, out, 0, n - 3);
        out[n - 3] = image[n - 3] * kernel[0] * kernel[1];
        out[n - 2] = blocks;
        return out;
    }

    /** The result begins with the size of what is read and is then resized: more needs other memory, less stays. */
    private static Tensor read(EagerRuntime rt, Tensor t, long[] sizes) {
        Tensor first = rt.empty(t.dtype(), t.sizes());
        Tensor dense = Copies.contiguous(rt, t);
        Tensor out = Shapes.numel(sizes) > t.numel()
                ? rt.empty(t.dtype(), sizes)
                : rt.reinterpret(first, sizes, Shapes.contiguous(sizes), 0);
        rt.free(first);
        rt.freeUnless(dense, t);
        return out;
    }

    static Tensor im2col(Call c) {
        Tensor t = c.tensor("self");
        return between(c.runtime(), "Im2ColBackward0", t, columns(c, t.sizes()));
    }

    static Tensor col2im(Call c) {
        Tensor t = c.tensor("self");
        long[] kernel = c.integers("kernel_size", 2, 1);
        long[] to = c.integers("output_size", 2, 1);
        int n = t.dim();
        long[] image = java.util.Arrays.copyOf(t.sizes(), n + 1);
        image[n - 2] = t.size(n - 2) / (kernel[0] * kernel[1]);
        image[n - 1] = to[0];
        image[n] = to[1];
        return between(c.runtime(), "Col2ImBackward0", t, image);
    }

    private static Tensor between(EagerRuntime rt, String node, Tensor t, long[] sizes) {
        Recorder r = rt.record(node, t);
        Tensor out = read(rt, t, sizes);
        long[] original = t.sizes();
        return r.gradient(0, g -> read(rt, g, original)).output(out);
    }

    static Tensor shuffled(Call c, long factor, boolean up) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        int n = t.dim();
        long[] sizes = t.sizes().clone();
        long square = factor * factor;
        sizes[n - 3] = up ? sizes[n - 3] / square : sizes[n - 3] * square;
        for (int i = n - 2; i < n; i++) {
            sizes[i] = up ? sizes[i] * factor : sizes[i] / factor;
        }
        Recorder r = rt.record(up ? "PixelShuffleBackward0" : "PixelUnshuffleBackward0", t);
        Tensor out = rt.empty(t.dtype(), sizes);
        long[] original = t.sizes();
        return r.gradient(0, g -> rt.empty(g.dtype(), original)).output(out);
    }
}
