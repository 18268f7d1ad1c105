package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.kernel.VolumeKernels.Axis;
import dev.headroom.executor.kernel.VolumeKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Windows of images as columns, and back (aten/src/ATen/native/cuda/Im2Col.cu, Col2Im.cu). */
public final class PatchOperators {
    private PatchOperators() {}

    public static void register(Operators o) {
        o.add1("aten.im2col", (e, a) -> between(e, "Im2ColBackward0", a.tensor("self"), axes(a), null));
        o.add1(
                "aten.col2im",
                (e, a) -> between(e, "Col2ImBackward0", a.tensor("self"), axes(a), a.integers("output_size")));
    }

    private static Axis[] axes(Arguments a) {
        long[] kernel = ConvolutionOperators.each(a.integers("kernel_size"), 2);
        long[] stride = ConvolutionOperators.each(a.integers("stride", 1, 1), 2);
        long[] padding = ConvolutionOperators.each(a.integers("padding", 0, 0), 2);
        long[] dilation = ConvolutionOperators.each(a.integers("dilation", 1, 1), 2);
        Axis[] out = new Axis[2];
        for (int i = 0; i < 2; i++) {
            out[i] = Axis.window(Kind.WINDOW, kernel[i], stride[i], padding[i], dilation[i], 1);
        }
        return out;
    }

    /** @param image height and width that columns become, or {@code null} for an image that becomes columns */
    private static Tensor between(Eager e, String node, Tensor x, Axis[] axes, long @Nullable [] image) {
        Recorder r = e.record(node, x);
        long window = axes[0].kernel() * axes[1].kernel();
        long[] sizes;
        if (image == null) {
            sizes = Arrays.copyOf(x.sizes(), x.dims() - 1);
            sizes[sizes.length - 2] = x.size(-3) * window;
            sizes[sizes.length - 1] = places(x.size(-2), axes[0]) * places(x.size(-1), axes[1]);
        } else {
            sizes = Arrays.copyOf(x.sizes(), x.dims() + 1);
            sizes[sizes.length - 3] = x.size(-2) / window;
            System.arraycopy(image, 0, sizes, sizes.length - 2, 2);
        }
        long[] before = x.sizes();
        return r.backward(g -> new Tensor[] {moved(e, g[0], axes, before, image != null)})
                .output(moved(e, x, axes, sizes, image == null));
    }

    private static long places(long size, Axis a) {
        return (size + 2 * a.padding() - a.dilation() * (a.kernel() - 1) - 1) / a.stride() + 1;
    }

    /** The result begins with the size of what is read and is resized: more needs other memory, less keeps it. */
    private static Tensor moved(Eager e, Tensor x, Axis[] axes, long[] sizes, boolean toColumns) {
        return e.call(() -> {
            Tensor first = e.empty(x.dtype(), x.sizes());
            Tensor packed = Copies.packed(e, x);
            Tensor out = Layout.elements(sizes) > x.elements()
                    ? e.empty(x.dtype(), sizes)
                    : e.alias(first, sizes, Layout.contiguous(sizes), 0);
            e.free(first);
            if (toColumns) {
                e.backend().volumes().columns(out, packed, axes);
            } else {
                e.backend().volumes().image(out, packed, axes);
            }
            return out;
        });
    }
}
